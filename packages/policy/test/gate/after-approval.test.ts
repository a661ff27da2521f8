import { describe, expect, it } from "vitest";

import type { PartDecision } from "../../src/decision.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine, type FakeRuling } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";
import { scriptedApprover } from "./scripted-approver.ts";

/** A gate whose policy says something else once a person has answered. */
function changing(before: FakeRuling, after: FakeRuling, options: Partial<GateOptions> = {}) {
  const approver = scriptedApprover();
  const time = manualTime();
  const histories: (readonly string[])[] = [];
  let ruling = before;
  const gate = createGate({
    engine: fakeEngine((_request, history) => {
      histories.push(history?.calls.map(({ callId, state }) => `${callId} ${state}`) ?? []);
      return ruling;
    }),
    approver,
    clock: time.clock,
    timers: time.timers,
    ...options,
  });
  return {
    gate,
    histories,
    change: () => void (ruling = after),
    /** Decides one call; the policy changes while the person reads, and they say yes. */
    approve: async (id = "a") => {
      const verdict = gate.decide(call(id));
      await time.advance(1);
      ruling = after;
      approver.answer({ kind: "approved" });
      return verdict;
    },
  };
}

const part = (rule: string, effect: PartDecision["effect"] = "ask"): PartDecision => ({
  effect,
  rule,
  layer: "user",
  matched: rule,
  reason: "the test says so",
});

// policy K06, hostile 40
describe("what a person said counts for what they were asked", () => {
  it("a policy that denies by then denies, in its own words, and the question counts", async () => {
    const { gate, approve } = changing({ effect: "ask" }, { effect: "deny", rule: "late" });
    expect(await approve()).toMatchObject({
      effect: "deny",
      reason: "Blocked by late (user): the test says so.",
      decision: { rule: "late" },
    });
    expect(gate.history.calls).toMatchObject([{ callId: "a", state: "denied", prompted: true }]);
    expect(gate.recheck({ callId: "a", toolName: "bash", input: {}, cwd: "/w" }).ok).toBe(false);
  });

  it("one that allows by then runs it, and one that asks the same is answered", async () => {
    for (const after of [{ effect: "allow" }, { effect: "ask" }] as const)
      expect(await changing({ effect: "ask" }, after).approve()).toMatchObject({ effect: "allow" });
  });

  it("one that asks something else by then was not answered", async () => {
    const first = { effect: "ask", parts: [part("one")] } as const;
    const asksMore = { effect: "ask", parts: [part("one"), part("two")] } as const;
    const verdict = await changing(first, asksMore).approve();
    expect(verdict).toMatchObject({ effect: "deny" });
    expect(verdict.reason).toContain("changed while it was being asked about");
    const asksLess = changing(asksMore, { effect: "ask", parts: [part("two"), part("x", "allow")] });
    expect(await asksLess.approve()).toMatchObject({ effect: "allow" });
  });

  it("what it writes by then is what other calls wait for", async () => {
    const writes = (value: string): FakeRuling => ({
      effect: "ask",
      resources: [{ action: "write", kind: "path", value, base: "/w", origin: "link" }],
    });
    // Both say the same about the folder: only what is written is read anew.
    const facts = { ...factsWithoutFileSystem, realPath: () => "/w" };
    const { gate, approve } = changing(writes("before.txt"), writes("after.txt"), { facts });
    expect(await approve()).toMatchObject({ effect: "allow" });
    const [made] = gate.history.calls;
    expect(made?.writes).toContain("/w/after.txt");
    expect(made?.writes).not.toContain("/w/before.txt");
  });
});

// contract B7
describe("the last look", () => {
  const asked = { callId: "a", toolName: "bash", input: {}, cwd: "/w" };

  it("refuses what would need another answer by now", async () => {
    const one = { effect: "ask", parts: [part("one")] } as const;
    const both = { effect: "ask", parts: [part("one"), part("two")] } as const;
    const approved = changing(one, one);
    await approved.approve();
    approved.change();
    expect(approved.gate.recheck(asked)).toEqual({ ok: true });
    let now: FakeRuling = one;
    const gate = createGate({
      engine: fakeEngine(() => now),
      approver: { ask: async () => ({ kind: "approved" }) },
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    now = both;
    expect(gate.recheck(asked)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("it would need another answer now"),
    });
    // Allowed without a question: an ask that comes later was answered by nobody.
    now = { effect: "allow" };
    expect((await gate.decide(call("b"))).effect).toBe("allow");
    now = one;
    expect(gate.recheck({ ...asked, callId: "b" }).ok).toBe(false);
  });

  it("says what the policy says, where it denies by now", async () => {
    const denying = changing({ effect: "allow" }, { effect: "deny", rule: "late" });
    await denying.gate.decide(call("a"));
    denying.change();
    expect(denying.gate.recheck(asked)).toMatchObject({
      ok: false,
      reason: expect.stringContaining("Blocked by late (user)"),
    });
  });

  it("does not count the call itself among those before it", async () => {
    const { gate, histories } = changing({ effect: "allow" }, { effect: "allow" });
    await gate.decide(call("first"));
    await gate.decide(call("a"));
    expect(gate.recheck(asked)).toEqual({ ok: true });
    expect(histories).toEqual([[], ["first approved"], ["first approved"]]);
  });

  it("holds nothing against a call in a dry run, but still wants the arguments that were judged, once", async () => {
    const { gate } = changing({ effect: "deny" }, { effect: "deny" }, { mode: "dry-run" });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    expect(gate.recheck({ ...asked, input: { n: 1 } }).ok).toBe(false);
    expect(gate.recheck(asked)).toEqual({ ok: true });
    expect(gate.recheck(asked).ok).toBe(false);
  });
});
