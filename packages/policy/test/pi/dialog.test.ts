import { describe, expect, it } from "vitest";

import { approvalItem } from "../../src/gate/approval-item.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { CHOICES, createDialogApprover, SCOPES, type DialogUi } from "../../src/pi/dialog.ts";
import { call, command, fakeEngine } from "../gate/fake-engine.ts";

const request = call("c", { command: "npm test" });
const decision = fakeEngine(() => ({
  effect: "ask",
  commands: [command("npm test")],
  parts: [{ effect: "ask", rule: "r", layer: "user", matched: "npm test", reason: "" }],
})).evaluate(request);
const item = approvalItem({ request, decision, fingerprint: "f" }, factsWithoutFileSystem);

/** Answers the dialogs one by one; the UI is gone once `answers` are used up and `stays` is not set. */
async function ask(answers: readonly (string | undefined)[], stays: boolean) {
  const left = [...answers];
  const next = async (): Promise<string | undefined> => left.shift();
  const ui: DialogUi = { select: next, input: next, editor: next };
  const approver = createDialogApprover({ ui: () => (left.length > 0 || stays ? ui : undefined) });
  return approver.ask({ item, batch: [], waiting: 1 }, { signal: new AbortController().signal });
}

describe("a UI that goes away refuses nothing", () => {
  it.each<[string, readonly (string | undefined)[]]>([
    ["before a choice", [undefined]],
    ["before a time was chosen", [CHOICES.remember, undefined]],
    ["before a pattern was chosen", [CHOICES.remember, SCOPES.always, undefined]],
    ["before the pattern was kept", [CHOICES.remember, SCOPES.always, "Command: npm test", undefined]],
  ])("%s", async (_title, answers) => {
    expect(await ask(answers, false)).toEqual({ kind: "unavailable" });
    // The same from a person whose UI is there: they closed the dialog.
    expect(await ask(answers, true)).toEqual({ kind: "declined" });
  });

  it.each([
    [[CHOICES.deny], { kind: "declined" }],
    [[CHOICES.explain, "too soon"], { kind: "declined", comment: "too soon" }],
    [[CHOICES.explain, undefined], { kind: "declined" }],
    [[CHOICES.stop], { kind: "stop" }],
    [[CHOICES.once], { kind: "approved" }],
  ])("and what was chosen before counts: %j", async (answers, answer) => {
    expect(await ask(answers, false)).toEqual(answer);
  });
});

describe("how far keys may run ahead", () => {
  it("is what the host says, else what the UI says, else a quarter of a second", () => {
    const next = async (): Promise<undefined> => undefined;
    const ui: DialogUi = { select: next, input: next, editor: next };
    const of = (given: DialogUi | undefined, typeAheadMs?: number): number | undefined =>
      createDialogApprover({ ui: () => given, ...(typeAheadMs === undefined ? {} : { typeAheadMs }) })
        .typeAheadMs;
    expect(of(ui)).toBe(250);
    expect(of(undefined)).toBe(250);
    expect(of({ ...ui, typeAheadMs: 0 })).toBe(0);
    expect(of({ ...ui, typeAheadMs: 30 }, 0)).toBe(0);
    expect(of(ui, 1_000)).toBe(1_000);
  });
});

describe("a choice that was not offered is no approval", () => {
  it.each([
    "Allow once ",
    "allow once",
    "Allow all 1 calls shown, once each",
    "Allow all 2 calls shown, once each",
    "",
  ])("%j", async (choice) => {
    expect(await ask([choice], true)).toEqual({ kind: "declined" });
  });
});
