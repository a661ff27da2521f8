import { describe, expect, it } from "vitest";

import { readAnswer } from "../../src/gate/answer.ts";
import { createGate } from "../../src/gate/gate.ts";
import type { ApprovalAnswer, Approver } from "../../src/gate/approver.ts";
import { call, fakeEngine } from "./fake-engine.ts";

const asks = fakeEngine(() => ({ effect: "ask" }));

/** What an approver that is broken, hostile or of another version gives, whatever its type says. */
function answering(answer: () => unknown, extra: Partial<Approver> = {}) {
  return createGate({
    engine: asks,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is tested is that the type is not believed
    approver: { ...extra, ask: async () => answer() as ApprovalAnswer },
  });
}

describe("only what is clearly a yes is one", () => {
  it.each<[string, () => unknown]>([
    ["nothing", () => undefined],
    ["a word", () => "approved"],
    ["a list", () => ["approved"]],
    ["another spelling", () => ({ kind: "Approved" })],
    ["an inherited kind", () => Object.create({ kind: "approved" })],
    [
      "a kind that came in through __proto__",
      () => Object.assign({}, JSON.parse('{"__proto__":{"kind":"approved"}}')),
    ],
    ["a getter", () => ({ get kind() { return "approved"; } })], // prettier-ignore
    ["calls that are no list", () => ({ kind: "approved", callIds: "c1" })],
    ["calls that are no names", () => ({ kind: "approved", callIds: [1] })],
    ["a wish of no known kind", () => ({ kind: "approved", remember: { kind: "forever", pattern: "x" } })],
    ["a wish without a pattern", () => ({ kind: "approved", remember: { kind: "always" } })],
    [
      "a time that is a text",
      () => ({ kind: "approved", remember: { kind: "time", pattern: "x", forMs: "1" } }),
    ],
    [
      "an unknown offer",
      () => ({ kind: "approved", remember: { kind: "always", pattern: "x", offer: "any" } }),
    ],
  ])("%s denies", async (_title, answer) => {
    const gate = answering(answer);
    expect(await gate.decide(call("c1"))).toMatchObject({ effect: "deny" });
    expect(gate.grants.list()).toEqual([]);
  });

  it("a plain yes allows, and a yes is read once", async () => {
    expect((await answering(() => ({ kind: "approved" })).decide(call("c1"))).effect).toBe("allow");
    expect(readAnswer({ kind: "approved", extra: 1 })).toEqual({ kind: "approved", callIds: [] });
    expect(readAnswer({ kind: "declined", callIds: 7, comment: 1 })).toEqual({
      kind: "declined",
      callIds: [],
    });
  });

  it("a yes for a call that was not shown says nothing about that call", async () => {
    const gate = answering(() => ({ kind: "approved", callIds: ["c2", "constructor"] }));
    expect((await gate.decide(call("c1"))).effect).toBe("allow");
    const later = createGate({ engine: asks });
    expect((await later.decide(call("c2"))).effect).toBe("deny");
  });
});

describe("an approver that throws wherever it is touched", () => {
  const broken = (): never => {
    throw new Error("gone");
  };
  it.each<[string, Partial<Approver>]>([
    ["its type-ahead", { get typeAheadMs() { return broken(); } }], // prettier-ignore
    ["its availability", { available: broken }],
    ["its question", { ask: broken }],
    ["a later one", { ask: async () => broken() }],
  ])("leaves no call waiting: %s", async (_title, extra) => {
    const errors: string[] = [];
    const approver: Approver = Object.defineProperties(
      { ask: async () => ({ kind: "declined" as const }) },
      Object.getOwnPropertyDescriptors(extra),
    );
    const gate = createGate({ engine: asks, approver, onError: (_error, where) => void errors.push(where) });
    const verdicts = await Promise.all([gate.decide(call("c1")), gate.decide(call("c2"))]);
    expect(verdicts.map(({ effect }) => effect)).toEqual(["deny", "deny"]);
    expect(gate.waiting).toBe(0);
  });
});
