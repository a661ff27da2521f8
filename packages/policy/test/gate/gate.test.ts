import { describe, expect, it } from "vitest";

import type { ApprovalAnswer, ApprovalPrompt, Approver } from "../../src/gate/approver.ts";
import type { AuditRecord } from "../../src/gate/audit.ts";
import { createGate } from "../../src/gate/gate.ts";
import { call, fakeEngine } from "./fake-engine.ts";
import { manualTime } from "./manual-time.ts";

const asks = fakeEngine(() => ({ effect: "ask" }));

function answering(
  answer: (prompt: ApprovalPrompt) => ApprovalAnswer,
): Approver & { readonly prompts: ApprovalPrompt[] } {
  const prompts: ApprovalPrompt[] = [];
  return {
    prompts,
    ask: async (prompt) => {
      prompts.push(prompt);
      return answer(prompt);
    },
  };
}

describe("a gate has the last word", () => {
  it("lets an allowed call pass and blocks a denied one with the engine's own message", async () => {
    const gate = createGate({
      engine: fakeEngine((request) => ({ effect: request.callId === "a" ? "allow" : "deny" })),
    });
    expect((await gate.decide(call("a"))).effect).toBe("allow");
    const denied = await gate.decide(call("b"));
    expect(denied).toMatchObject({
      effect: "deny",
      decision: { effect: "deny", rule: "test.deny", layer: "user" },
    });
    expect(denied.reason).toContain("test.deny");
    expect(gate.decisionOf("b")).toEqual(denied.decision);
  });

  it("turns an ask into a deny that says there is no UI when nobody can be asked", async () => {
    // contract A8
    const verdict = await createGate({ engine: asks }).decide(call("a"));
    expect(verdict.effect).toBe("deny");
    expect(verdict.reason).toContain("no UI");
    const gone = await createGate({
      engine: asks,
      approver: { ask: async () => ({ kind: "approved" }), available: () => false },
    }).decide(call("a"));
    expect(gone.effect).toBe("deny");
    expect(gone.reason).toContain("no UI");
  });

  it("says declined when a person declined, with what they said", async () => {
    // contract A8
    const gate = createGate({
      engine: asks,
      approver: answering(() => ({ kind: "declined", comment: "use the PR" })),
    });
    const verdict = await gate.decide(call("a"));
    expect(verdict.effect).toBe("deny");
    expect(verdict.reason).toContain("declined");
    expect(verdict.reason).toContain("They said: use the PR. Do not try it again");
  });

  it("puts no second stop behind what a person said in whole sentences", async () => {
    const gate = createGate({
      engine: asks,
      approver: answering(() => ({ kind: "declined", comment: "Not on a Friday!" })),
    });
    expect((await gate.decide(call("a"))).reason).toContain(
      "They said: Not on a Friday! Do not try it again",
    );
  });

  it("lets a call pass that a person approved", async () => {
    const verdict = await createGate({
      engine: asks,
      approver: answering(() => ({ kind: "approved" })),
    }).decide(call("a"));
    expect(verdict).toMatchObject({ effect: "allow", decision: { effect: "allow", rule: "test.ask" } });
  });

  it("never asks a person about a denied call, nor about an allowed one", async () => {
    const approver = answering(() => ({ kind: "approved" }));
    const gate = createGate({
      engine: fakeEngine((request) => ({ effect: request.callId === "a" ? "allow" : "deny" })),
      approver,
    });
    await gate.decide(call("a"));
    expect((await gate.decide(call("b"))).effect).toBe("deny");
    expect(approver.prompts).toHaveLength(0);
  });
});

describe("a gate fails closed", () => {
  it("denies and tells when the engine throws", async () => {
    // policy L04
    const errors: string[] = [];
    const records: AuditRecord[] = [];
    const gate = createGate({
      engine: {
        evaluate() {
          throw new Error("boom");
        },
      },
      onError: (error, where) => errors.push(`${where}: ${String(error)}`),
      audit: { write: (record) => void records.push(record) },
    });
    const verdict = await gate.decide(call("a"));
    expect(verdict).toMatchObject({ effect: "deny", decision: { rule: "gate.error" } });
    expect(verdict.reason).not.toContain("boom");
    expect(errors).toEqual(["engine: Error: boom"]);
    expect(records).toMatchObject([{ type: "decision", engine: "error", decision: { effect: "deny" } }]);
  });

  it("denies and tells when the approver throws, at once or later, or answers nonsense", async () => {
    const approvers: Approver[] = [
      {
        ask() {
          throw new Error("at once");
        },
      },
      { ask: () => Promise.reject(new Error("later")) },
      // An approver of another version may answer what this one does not know.
      Object.assign(
        answering(() => ({ kind: "approved" })),
        { ask: async () => JSON.parse('{"kind":"yes"}') },
      ),
      Object.assign(
        answering(() => ({ kind: "approved" })),
        { ask: async () => JSON.parse("null") },
      ),
    ];
    for (const approver of approvers) {
      const errors: unknown[] = [];
      const gate = createGate({ engine: asks, approver, onError: (error) => errors.push(error) });
      expect((await gate.decide(call("a"))).effect).toBe("deny");
      expect(errors).toHaveLength(1);
    }
  });

  it("denies arguments that are not plain data or no longer fit the tool's schema", async () => {
    // policy K08, contract B7
    const gate = createGate({ engine: fakeEngine(() => ({ effect: "allow" })) });
    const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
    const tool = { name: "edit", parameters: schema };
    const bad: unknown[] = [
      { path: { toString: "x" } },
      { path: 1 },
      {},
      { path: "a", when: new Date(0) },
      { path: "a", run: () => 1 },
      {
        get path() {
          return "a";
        },
      },
    ];
    for (const input of bad) {
      const verdict = await gate.decide(Object.assign(call("a", {}, { tool }), { input }));
      expect(verdict).toMatchObject({ effect: "deny", decision: { rule: "gate.input" } });
    }
    expect((await gate.decide(call("a", { path: "a" }, { tool }))).effect).toBe("allow");
  });

  it("denies when the audit never answers, and still approves when only the memory of an answer hangs", async () => {
    const hanging = () => new Promise<void>(() => {});
    const time = manualTime();
    const base = { clock: time.clock, timers: time.timers };
    const mute = createGate({
      ...base,
      engine: fakeEngine(() => ({ effect: "allow" })),
      audit: { write: hanging },
    });
    const unrecorded = mute.decide(call("a"));
    await time.advance(10_000);
    expect(await unrecorded).toMatchObject({ effect: "deny", decision: { rule: "gate.audit" } });

    const gate = createGate({
      ...base,
      engine: asks,
      grants: { list: () => [], add: hanging, revoke: () => false },
      approver: answering(({ item }) => ({
        kind: "approved",
        remember: { kind: "always", pattern: item.offers[0]?.pattern ?? "" },
      })),
    });
    const approved = gate.decide(call("a"));
    await time.advance(10_000);
    expect((await approved).effect).toBe("allow");
  });

  it("does what it decided, and stops the run, whatever its listeners throw", async () => {
    const stopped: string[] = [];
    const errors: string[] = [];
    const gate = createGate({
      engine: asks,
      approver: answering(() => ({ kind: "stop" })),
      onDecision: () => {
        throw new Error("listener");
      },
      onError: (_error, where) => {
        errors.push(where);
        throw new Error("again");
      },
      onStop: (request) => stopped.push(request.callId),
    });
    expect((await gate.decide(call("a"))).effect).toBe("deny");
    gate.cancel("a");
    expect(stopped).toEqual(["a"]);
    expect(errors).toEqual(["listener"]);
  });
});
