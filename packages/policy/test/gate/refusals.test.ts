import { describe, expect, it } from "vitest";

import type { PolicyEngine } from "../../src/decision.ts";
import type { ApprovalAnswer } from "../../src/gate/approver.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

/** A gate that asks about everything; each dialog gets the same answer at once. */
function answering(answer: () => ApprovalAnswer, options: Partial<GateOptions> = {}) {
  const asked: string[] = [];
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "ask" })),
    gatherMs: 0,
    approver: {
      ask: async ({ item }) => {
        asked.push(item.callId);
        return answer();
      },
    },
    ...options,
  });
  return { gate, asked };
}

const declines = (): ApprovalAnswer => ({ kind: "declined" });
const script = (callId: string) => [{ callId, toolName: "codemode" }];

// hostile 44
describe("what a person refused is remembered", () => {
  it("by the tool, its owner and the arguments, whoever calls it in one run", async () => {
    const { gate, asked } = answering(declines);
    gate.beginRun();
    const from = (kind: "builtin" | "sdk") => ({ tool: { name: "bash", source: { kind } } });
    await gate.decide(call("a", { n: 1 }, from("builtin")));
    const again = await gate.decide(call("s/1", { n: 1 }, { ...from("builtin"), chain: script("s") }));
    expect(again.reason).toContain("it was declined");
    expect(asked).toEqual(["a"]);
    // A namesake of another owner, other arguments and another tool are asked about.
    await gate.decide(call("b", { n: 1 }, from("sdk")));
    await gate.decide(call("c", { n: 2 }, from("builtin")));
    await gate.decide(call("d", { n: 1 }, { tool: { name: "sh", source: { kind: "builtin" } } }));
    expect(asked).toEqual(["a", "b", "c", "d"]);
  });

  it("until the next run begins, in which it can be asked again", async () => {
    const { gate, asked } = answering(declines);
    gate.beginRun();
    await gate.decide(call("a"));
    await gate.decide(call("b"));
    gate.beginRun();
    await gate.decide(call("c"));
    expect(asked).toEqual(["a", "c"]);
  });

  it("below one root call, at every depth, where no run was ever begun", async () => {
    const { gate, asked } = answering(declines);
    const deep = [...script("s"), { callId: "s/1", toolName: "orchestrate" }];
    await gate.decide(call("s/1/1", {}, { chain: deep }));
    await gate.decide(call("s/2", {}, { chain: script("s") }));
    expect(asked).toEqual(["s/1/1"]);
    await gate.decide(call("t/1", {}, { chain: script("t") }));
    await gate.decide(call("model"));
    expect(asked).toEqual(["s/1/1", "t/1", "model"]);
  });

  it("when they stopped the run, too, and when nobody answered in time", async () => {
    const stop = answering(() => ({ kind: "stop" }));
    stop.gate.beginRun();
    await stop.gate.decide(call("a"));
    // The host has been told by now, so the gate is open again.
    stop.gate.cancelAll();
    expect((await stop.gate.decide(call("b"))).reason).toContain("the run was stopped");
    expect(stop.asked).toEqual(["a"]);
  });

  it.each<[string, () => ApprovalAnswer]>([
    ["nobody could be asked", () => ({ kind: "unavailable" })],
    ["asking failed", () => { throw new Error("no"); }], // prettier-ignore
  ])("but not when %s: that is no refusal", async (_title, answer) => {
    const { gate, asked } = answering(answer);
    gate.beginRun();
    await gate.decide(call("a"));
    await gate.decide(call("b"));
    expect(asked).toEqual(["a", "b"]);
  });

  it("nor when the call was cancelled, or too many waited", async () => {
    const approver = scriptedApprover();
    const time = manualTime();
    const { gate } = answering(declines, {
      approver,
      clock: time.clock,
      timers: time.timers,
      limits: { maxWaiting: 1 },
    });
    gate.beginRun();
    const first = gate.decide(call("a", { n: 1 }));
    await time.advance(1);
    expect((await gate.decide(call("b", { n: 2 }))).reason).toContain("too many questions");
    gate.cancel("a");
    await first;
    for (const n of [1, 2]) {
      const again = gate.decide(call(`again-${n}`, { n }));
      await time.advance(1);
      expect(approver.open).toEqual([`again-${n}`]);
      gate.cancelAll();
      await again;
    }
    // Nobody was asked in vain: neither counts as a question.
    expect(gate.history.calls.filter(({ prompted }) => prompted === true)).toEqual([]);
  });

  it("for the newest thousand, or as many as the host says", async () => {
    const { gate, asked } = answering(declines, { limits: { maxDenials: 2 } });
    gate.beginRun();
    for (const n of [1, 2, 3]) await gate.decide(call(`${n}`, { n }));
    for (const n of [3, 2]) await gate.decide(call(`again-${n}`, { n }));
    expect(asked).toEqual(["1", "2", "3"]);
    await gate.decide(call("again-1", { n: 1 }));
    expect(asked).toEqual(["1", "2", "3", "again-1"]);
  });
});

describe("what only a person may answer", () => {
  const personOnly = fakeEngine(() => ({
    effect: "ask",
    // As an engine of the host's own may say it: of a part, not of the whole.
    parts: [
      {
        effect: "ask",
        rule: "leash",
        layer: "built-in",
        matched: "bash",
        reason: "it is the leash",
        personOnly: true,
      },
    ],
  }));

  it("is answered by no program, also where only a part of the call is such", async () => {
    const program = answering(() => ({ kind: "approved" }), {
      engine: personOnly,
      approver: { person: false, ask: async () => ({ kind: "approved" }) },
    });
    expect(await program.gate.decide(call("a"))).toMatchObject({ effect: "deny" });
    const person = answering(() => ({ kind: "approved" }), { engine: personOnly });
    expect(await person.gate.decide(call("a"))).toMatchObject({ effect: "allow" });
  });

  it("is neither offered nor remembered, whatever the answer wishes, nor answered by what was", async () => {
    const offers: number[] = [];
    const errors: unknown[] = [];
    let now: PolicyEngine = personOnly;
    const { gate } = answering(() => ({ kind: "approved" }), {
      engine: { evaluate: (request, history) => now.evaluate(request, history) },
      // Where a folder is known, a call like this can be remembered.
      facts: { ...factsWithoutFileSystem, realPath: (path) => path },
      onError: (error) => errors.push(error),
      approver: {
        ask: async ({ item }) => {
          offers.push(item.offers.length);
          return { kind: "approved", remember: { kind: "session", pattern: "{}" } };
        },
      },
    });
    for (const id of ["a", "b"]) expect((await gate.decide(call(id))).effect).toBe("allow");
    expect(offers).toEqual([0, 0]);
    expect(gate.grants.list()).toEqual([]);
    expect(errors).toHaveLength(2);
    // The same rule, before its owner said that only a person answers.
    const [own] = personOnly.evaluate(call("x")).parts;
    now = fakeEngine(() => ({ effect: "ask", parts: [{ ...own!, personOnly: false }] }));
    await gate.decide(call("c"));
    expect(gate.grants.list()).toHaveLength(1);
    await gate.decide(call("d"));
    expect(offers).toEqual([0, 0, 1]);
    now = personOnly;
    await gate.decide(call("e"));
    expect(offers).toEqual([0, 0, 1, 0]);
  });
});
