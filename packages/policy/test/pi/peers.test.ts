import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { call, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import type { Approver } from "../../src/gate/approver.ts";
import type { AuditRecord } from "../../src/gate/audit.ts";
import { createTurns } from "../../src/gate/turns.ts";
import { createMemoryGrants } from "../../src/gate/grants.ts";
import {
  CHOICES,
  createDialogApprover,
  createPolicyExtension,
  type PolicyExtensionOptions,
} from "../../src/pi/index.ts";
import { joinPeers, type PeerBus } from "../../src/pi/peers.ts";
import { fakeEngine } from "../gate/fake-engine.ts";
import { notingTools, scriptTool, textOf, type Ran } from "./tools.ts";

const rules = (ruling: (command: unknown) => "allow" | "ask" | "deny") =>
  fakeEngine((request) => ({
    effect: request.tool.name === "shell" ? ruling(request.input["command"]) : "allow",
    rule: "test.rule",
  }));
const asks = rules(() => "ask");

/** Two extensions, each with a policy of its own, in one session. */
async function start(
  first: PolicyExtensionOptions,
  second: PolicyExtensionOptions,
  ui: ScriptedPiSessionOptions["ui"] = { select: CHOICES.once },
) {
  const ran: Ran[] = [];
  const records: AuditRecord[][] = [[], []];
  const policies = [first, second].map((options, index) =>
    createPolicyExtension({
      grants: createMemoryGrants(),
      audit: { write: (record) => void records[index]?.push(record) },
      gate: { gatherMs: 0 },
      ...options,
    }),
  );
  const script = scriptTool("script", async (ctx) =>
    (await Promise.all(["a", "b"].map((command) => ctx.executeTool("shell", { command }))))
      .map(textOf)
      .join("\n"),
  );
  const session = await scriptedPiSession({
    extensions: [notingTools(ran), script, ...policies],
    noTools: "builtin",
    ...(ui === undefined ? {} : { ui }),
  });
  const answers = () =>
    records.map((list) => list.flatMap((record) => (record.type === "decision" ? [record.answer] : [])));
  return { session, ran, answers };
}

describe("two policies in one Pi session", () => {
  it("ask a person once about a call that both ask about, at every depth", async () => {
    const { session, ran, answers } = await start({ engine: asks }, { engine: asks });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), call("script"), "done"]);
    expect(ran).toHaveLength(3);
    expect(session.ui?.dialogs).toHaveLength(3);
    expect(answers()).toEqual([
      ["approved", undefined, "approved", "approved"],
      ["approved-elsewhere", undefined, "approved-elsewhere", "approved-elsewhere"],
    ]);
    expect(session.errors).toEqual([]);
  });

  it("both deny, and the second asks about what the first let pass", async () => {
    const { session, ran } = await start(
      { engine: rules((command) => (command === "one" ? "deny" : command === "three" ? "allow" : "ask")) },
      { engine: rules((command) => (command === "two" ? "deny" : "ask")) },
    );
    await using _ = session;
    const calls = ["one", "two", "three"].map((command) => call("shell", { command }));
    await session.prompt("go", [calls, "done"]);
    expect(ran.map(({ id }) => id)).toEqual(["call-3"]);
    // One question of the first about `two`, one of the second about `three`.
    expect(session.ui?.dialogs).toHaveLength(2);
  });

  it("take no answer of a program, of a rule, of a dry run or of somebody else for that of the person", async () => {
    const program = { ask: async () => ({ kind: "approved" }) as const, person: false };
    for (const first of [
      { engine: asks, approver: program },
      { engine: asks, approver: { ...program, reaches: "pi.ui" } },
      { engine: asks, approver: { ...program, person: true } },
      { engine: asks, approver: { ...program, person: true, reaches: "somebody else" } },
      { engine: asks, mode: "dry-run" },
      { engine: rules(() => "allow") },
    ] as const) {
      const { session, ran } = await start(first, { engine: asks }, { select: CHOICES.deny });
      await using _ = session;
      await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
      expect(ran).toEqual([]);
      expect(session.ui?.dialogs).toHaveLength(1);
    }
  });

  it("never have two dialogs open at once, whichever asks, and one that is cancelled opens none", async () => {
    let most = 0;
    const held: (() => void)[] = [];
    const ui: { open?: () => number } = {};
    const { session, ran } = await start(
      { engine: rules((command) => (command === "a" ? "ask" : "allow")) },
      { engine: rules((command) => (command === "b" ? "ask" : "allow")) },
      {
        select: async () => {
          most = Math.max(most, ui.open?.() ?? 0);
          await new Promise<void>((resolve) => held.push(resolve));
          return CHOICES.once;
        },
      },
    );
    await using _ = session;
    ui.open = () => session.ui?.open() ?? 0;
    const done = session.prompt("go", [call("script"), "done"]);
    // Both calls of the script wait: one for its answer, the other for its turn.
    for (let answered = 0; answered < 2; answered += 1) {
      await expect.poll(() => held.length, { timeout: 30_000 }).toBe(answered + 1);
      // Whatever could open beside it has had time to.
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(held).toHaveLength(answered + 1);
      held[answered]?.();
    }
    await done;
    expect(most).toBe(1);
    expect(ran.map(({ params }) => params)).toEqual([{ command: "a" }, { command: "b" }]);
    expect(session.ui?.dialogs).toHaveLength(2);
    expect(session.errors).toEqual([]);
  });

  it("ask an approver of the host's own, whatever the person at the terminal said", async () => {
    const second = { ask: async () => ({ kind: "declined" }) as const };
    const { session, ran } = await start({ engine: asks }, { engine: asks, approver: second });
    await using _ = session;
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toEqual([]);
    expect(session.ui?.dialogs).toHaveLength(1);
  });
});

describe("an approver around Pi's dialogs", () => {
  it("that says whom it reaches asks once, beside a policy with Pi's own", async () => {
    let ui: ExtensionUIContext | undefined;
    const inner = createDialogApprover({ ui: () => ui });
    const shown: string[] = [];
    const approver: Approver = {
      ...(inner.reaches === undefined ? {} : { reaches: inner.reaches }),
      typeAheadMs: 0,
      ask(prompt, options) {
        shown.push(prompt.item.callId);
        return inner.ask(prompt, options);
      },
    };
    const { session, ran } = await start({ engine: asks, approver }, { engine: asks });
    await using _ = session;
    ui = session.session.extensionRunner.getUIContext();
    await session.prompt("go", [call("shell", { command: "ls" }), "done"]);
    expect(ran).toHaveLength(1);
    expect(shown).toEqual(["call-1"]);
    expect(session.ui?.dialogs).toHaveLength(1);
  });
});

describe("a turn", () => {
  const pair = () => {
    const gates: ReturnType<typeof createTurns>[] = [];
    const make = (index: number) =>
      createTurns((busy) => {
        for (const [other, gate] of gates.entries()) {
          const current = gate.current();
          if (other !== index && current !== undefined) busy(current);
        }
      });
    gates.push(make(0), make(1), make(2));
    return gates;
  };
  const signal = new AbortController().signal;

  it("is one gate's at a time, and the others' when it ends", async () => {
    const gates = pair();
    const order: string[] = [];
    const ends = gates.map(async (gate, index) => {
      const end = await gate.take(signal);
      order.push(`begin ${index}`);
      await new Promise((resolve) => setTimeout(resolve, 1));
      order.push(`end ${index}`);
      end?.();
    });
    await Promise.all(ends);
    expect(order).toEqual(["begin 0", "end 0", "begin 1", "end 1", "begin 2", "end 2"]);
  });

  it("is not waited for by a question that is over, nor for ever", async () => {
    const [first, second] = pair();
    await first?.take(signal);
    const gone = new AbortController();
    const waiting = second?.take(gone.signal);
    gone.abort();
    expect(await waiting).toBeUndefined();
    const rude = createTurns((busy) => busy(Promise.resolve()));
    expect(await rude.take(signal)).toBeTypeOf("function");
  });
});

describe("what policies tell each other", () => {
  const asked = { reaches: "pi.ui", callId: "c", toolName: "bash", cwd: "/w", fingerprint: "f" };
  const bus = (): PeerBus & { readonly sent: unknown[] } => {
    const handlers: ((data: unknown) => void)[] = [];
    const sent: unknown[] = [];
    return {
      sent,
      emit(_channel, data) {
        sent.push(data);
        for (const handler of handlers) handler(data);
      },
      on(_channel, handler) {
        handlers.push(handler);
        return () => undefined;
      },
    };
  };

  it("is no answer to oneself, and none that comes too late", () => {
    const alone = bus();
    const self = joinPeers(alone, () => true);
    expect(self.answered(asked)).toBe(false);
    expect(joinPeers(alone, () => false).answered(asked)).toBe(true);

    const late = bus();
    const peer = joinPeers(late, () => false);
    expect(peer.answered(asked)).toBe(false);
    (late.sent[0] as { yes(): void }).yes();
    expect(peer.answered(asked)).toBe(false);
  });

  it("is only what has the shape of a question", () => {
    const shared = bus();
    let read = 0;
    joinPeers(shared, () => {
      read += 1;
      return true;
    });
    const junk = [
      undefined,
      null,
      1,
      "x",
      [],
      {},
      { from: {}, call: {} },
      { from: {}, call: asked, yes: "no" },
    ];
    for (const data of junk) shared.emit("nestbox.policy.answered", data);
    expect(read).toBe(0);
  });
});
