import type { ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import { call, scriptedPiSession, type ScriptedPiSessionOptions } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import type { Approver } from "../../src/gate/approver.ts";
import type { AuditRecord } from "../../src/gate/audit.ts";
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
