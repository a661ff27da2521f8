import { describe, expect, it } from "vitest";

import type { PartDecision } from "../../src/decision.ts";
import type { AuditRecord } from "../../src/gate/audit.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { DecisionRecord, GateOptions } from "../../src/gate/gate-types.ts";
import { call, fakeEngine } from "./fake-engine.ts";

const part = (rule: string, effect: PartDecision["effect"]): PartDecision => ({
  effect,
  rule,
  layer: "built-in",
  matched: "bash",
  reason: "the test says so",
});

function dryRun(options: Partial<GateOptions>) {
  const records: AuditRecord[] = [];
  const decisions: DecisionRecord[] = [];
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "deny" })),
    mode: "dry-run",
    audit: { write: (record) => void records.push(record) },
    onDecision: (record) => decisions.push(record),
    ...options,
  });
  return { gate, records, decisions };
}

describe("a dry run keeps the leash", () => {
  it("where another rule decides and the leash only agrees", async () => {
    const { gate, records } = dryRun({
      engine: fakeEngine(() => ({
        effect: "deny",
        rule: "mine",
        parts: [part("mine", "deny"), part("leash.files", "deny")],
      })),
    });
    expect(await gate.decide(call("a"))).toMatchObject({ effect: "deny", decision: { rule: "mine" } });
    expect(records).toMatchObject([{ decision: { effect: "deny" } }]);
    expect(records[0]).not.toHaveProperty("wouldBe");
  });

  it("as far as it denies: what it would ask about is let pass, like every question", async () => {
    const { gate } = dryRun({
      engine: fakeEngine(() => ({ effect: "ask", parts: [part("leash.files", "ask")] })),
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
  });

  it("unless the host says itself what is always enforced", async () => {
    const { gate } = dryRun({
      engine: fakeEngine((request) => ({ effect: "deny", rule: String(request.input["rule"]) })),
      alwaysEnforced: (decision) => decision.rule === "mine",
    });
    expect((await gate.decide(call("a", { rule: "mine" }))).effect).toBe("deny");
    expect((await gate.decide(call("b", { rule: "leash.files" }))).effect).toBe("allow");
  });
});

describe("a dry run says what would have been", () => {
  it("with the reason, to whoever listens, and blocks what nobody could judge", async () => {
    const { gate, decisions } = dryRun({});
    expect(await gate.decide(call("a"))).toMatchObject({
      effect: "allow",
      reason: expect.stringMatching(/^dry run: Blocked by test\.deny/u),
    });
    // Arguments that are no plain data were judged by nobody.
    const unread = Object.assign(call("b"), { input: { when: new Date(0) } });
    expect(await gate.decide(unread)).toMatchObject({ effect: "deny", decision: { rule: "gate.input" } });
    expect(decisions.map(({ wouldBe }) => wouldBe)).toEqual(["deny", undefined]);
  });

  it("and counts what ran, so that a budget is seen as it would be", async () => {
    const seen: number[] = [];
    const { gate } = dryRun({
      engine: fakeEngine((_request, history) => {
        seen.push(history?.calls.filter(({ state }) => state !== "denied").length ?? 0);
        return { effect: "deny" };
      }),
    });
    for (const id of ["a", "b", "c"]) {
      await gate.decide(call(id));
      gate.settled({ callId: id }, { isError: false });
    }
    expect(seen).toEqual([0, 1, 2]);
  });

  it("and asks nobody, also where somebody could be asked", async () => {
    const asked: string[] = [];
    const { gate, records } = dryRun({
      engine: fakeEngine(() => ({ effect: "ask" })),
      approver: {
        ask: async ({ item }) => {
          asked.push(item.callId);
          return { kind: "declined" };
        },
      },
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    expect(asked).toEqual([]);
    expect(records).toMatchObject([{ engine: "ask", answer: "no-approver", wouldBe: "deny" }]);
  });
});
