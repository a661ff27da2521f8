import { describe, expect, it } from "vitest";

import { showText } from "../../src/explain/escape.ts";
import { approvalItem } from "../../src/gate/approval-item.ts";
import type { ApprovalItem } from "../../src/gate/approver.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import { policyLines } from "../../src/pi/command.ts";
import { createDialogApprover } from "../../src/pi/dialog.ts";
import { call as engineCall, engineOf, layer } from "../engine/support.ts";
import { call, command, fakeEngine } from "./fake-engine.ts";

// hostile 13: what a terminal obeys, what is drawn elsewhere than it stands, and what is not drawn at all.
const tricks = [
  "\u001b[2J\u001b]0;x\u0007",
  "\r",
  "\n",
  "\u009b2K",
  "\u202e\u2066\u200f",
  "\u200b\u2060\ufeff",
  "\u00ad\u034f\u180e\ufe0f\u{e0100}\u{e0041}",
  "\u3164\u2800\u115f",
  "\u2028\u2029\u0085",
  "\ud800",
  "\u0000\b\u007f",
].join("x");
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

function shownOf(item: ApprovalItem): readonly string[] {
  return [
    item.toolName,
    ...item.chain,
    ...item.lines,
    item.folder,
    item.reason,
    ...item.offers.flatMap(({ shown, bound }) => [shown, bound]),
  ];
}

describe("every text that a person is shown of a call", () => {
  it("is spelled out, whichever part of the call it is", async () => {
    const request = call(
      tricks,
      { [tricks]: tricks, deep: { [tricks]: [tricks] }, command: `run ${tricks}` },
      {
        tool: { name: `bash${tricks}` },
        chain: [{ callId: tricks, toolName: `codemode${tricks}` }],
        cwd: `/w/${tricks}`,
      },
    );
    const source = `run ${tricks}`;
    const decision = fakeEngine(() => ({
      effect: "ask",
      commands: [command("run", { source }), command("run b")],
      parts: [{ effect: "ask", rule: "r", layer: "project", matched: showText(source), reason: tricks }],
      resources: [{ action: "write", kind: "path", value: `../${tricks}`, origin: tricks }],
    })).evaluate(request);
    const item = approvalItem(
      { request, decision: { ...decision, reason: tricks }, fingerprint: "f" },
      { ...factsWithoutFileSystem, realPath: (path) => `/elsewhere${path}` },
    );
    const shown = shownOf(item);
    expect(shown.length).toBeGreaterThan(8);
    for (const text of shown) expect(text).not.toMatch(unsafe);

    let title = "";
    const approver = createDialogApprover({
      ui: () => ({
        select: async (text, options) => {
          title = [text, ...options].join("\n");
          return undefined;
        },
        input: async () => undefined,
        editor: async () => undefined,
      }),
    });
    await approver.ask({ item, batch: [item], waiting: 2 }, { signal: new AbortController().signal });
    expect(title.replaceAll("\n", "")).not.toMatch(unsafe);
  });

  it("is spelled out in what the model, the record and /policy are told", async () => {
    const reasons: string[] = [];
    const project = layer("project", {
      rules: [{ id: "r", effect: "deny", tool: "*", reason: `no ${tricks}`, instead: `other ${tricks}` }],
    });
    const gate = createGate({ engine: engineOf([project]) });
    const verdict = await gate.decide(engineCall(`t${tricks}`, { a: tricks }));
    reasons.push(verdict.reason ?? "");
    const decision = engineOf([project]).evaluate(engineCall(`t${tricks}`, { a: tricks }));
    reasons.push(decision.modelMessage, ...decision.personMessage.split("\n"));
    const problem = { file: tricks, line: 1, column: 1, message: tricks };
    reasons.push(
      ...policyLines({
        mode: "enforce",
        files: [{ path: tricks, layer: "project", state: "broken", problems: [problem], rules: 0 }],
        decisions: [],
        grants: [],
        waiting: 0,
      }),
    );
    expect(reasons.length).toBeGreaterThan(7);
    for (const text of reasons) expect(text).not.toMatch(unsafe);
  });

  it("has its real length where it is cut, and never half a character", () => {
    const shown = showText(`${"a".repeat(199)}😀${"b".repeat(100_000)}😀`);
    expect(shown.length).toBeLessThan(700);
    expect(shown).toContain("of 100203 characters left out");
    expect(shown).not.toMatch(unsafe);
  });

  it("draws no tower of marks over the lines around it, and leaves the letters of languages alone", () => {
    expect(showText(`e${"\u0301".repeat(50)}`)).toBe(
      `e${"\u0301".repeat(4)}${String.raw`\u{301}`.repeat(46)}`,
    );
    for (const text of ["naïve café", "Ελλάδα", "日本語", "हिन्दी", "việt", "שָׁלוֹם", "😀"])
      expect(showText(text)).toBe(text);
  });
});
