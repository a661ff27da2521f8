import { describe, expect, it } from "vitest";

import type { ApprovalItem } from "../../src/gate/approver.ts";
import { factsWithoutFileSystem } from "../../src/gate/facts.ts";
import { createGate } from "../../src/gate/gate.ts";
import { call, command, fakeEngine, type FakeRuling } from "./fake-engine.ts";

async function promptFor(
  request: ReturnType<typeof call>,
  ruling: Partial<FakeRuling> = {},
  realPath: (path: string) => string | undefined = (path) => path,
): Promise<ApprovalItem> {
  let item: ApprovalItem | undefined;
  const gate = createGate({
    engine: fakeEngine(() => ({ effect: "ask", ...ruling })),
    approver: {
      ask: async (prompt) => {
        item = prompt.item;
        return { kind: "declined" };
      },
    },
    facts: { ...factsWithoutFileSystem, realPath },
  });
  await gate.decide(request);
  if (item === undefined) throw new Error("nobody was asked");
  return item;
}

describe("what a person is shown cannot deceive", () => {
  it("spells out control, escape, bidirectional and invisible characters", async () => {
    // hostile 41, policy O02
    const hidden = "safe\u001b[2K\r rm\u202e\u2066\u200b\u00a0\u0007x";
    const item = await promptFor(
      call("a", { command: hidden, [hidden]: "x" }, { chain: [{ callId: "c", toolName: hidden }] }),
    );
    const shown = [...item.lines, ...item.chain, item.folder, item.reason].join("\n");
    // oxlint-disable-next-line no-control-regex
    expect(shown).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\u00a0]/,
    );
    expect(shown).toContain("rm");
    expect(shown).toMatch(/\\(?:x|u\{)0?0?1b/);
  });

  it("shortens what is too long, keeps both ends, and says the real size", async () => {
    // hostile 41
    const long = `begin${"x".repeat(1_000_000)}; rm -rf end`;
    const item = await promptFor(call("a", { command: long }));
    const text = item.lines.join("\n");
    expect(text.length).toBeLessThan(5_000);
    expect(text).toContain("begin");
    expect(text).toContain("rm -rf end");
    expect(text).toContain(`of ${"command: ".length + long.length} characters`);
    expect(item.inputChars).toBe(long.length + '{"command":""}'.length);
    const many = await promptFor(
      call("a", { command: Array.from({ length: 500 }, (_, i) => `echo ${i}`).join("\n") }, {}),
      {
        commands: [command("echo 0")],
      },
    );
    expect(many.lines.length).toBeLessThan(50);
    expect(many.lines.join("\n")).toContain("of 500 lines not shown");
    expect(many.lines.at(-1)).toBe("echo 499");
  });

  it("shows the lines of a compound apart, and which of them are asked about", async () => {
    const parts = ["git push", "rm x"].map(
      (matched) => ({ effect: "ask", rule: "r", layer: "user", matched, reason: "" }) as const,
    );
    const item = await promptFor(call("a", { command: "git push\nrm x" }), {
      commands: [command("git push"), command("rm x")],
      parts,
    });
    expect(item.lines).toEqual(["git push", "rm x", "asks about: git push", "asks about: rm x"]);
  });

  it("shows the path and the folder that will really be used", async () => {
    // hostile 41
    const real = (path: string) => path.replace("/w/link", "/etc").replace(/^\/w$/, "/real/w");
    const resources = ["link/passwd", "../x"].map(
      (value) => ({ action: "write", kind: "path", value, base: "/w", origin: "input.path" }) as const,
    );
    const item = await promptFor(call("a", { path: "link/passwd" }), { resources }, real);
    expect(item.lines).toContain("write: /w/link/passwd → /etc/passwd");
    expect(item.lines).toContain("write: /x");
    expect(item.folder).toBe("/w → /real/w");
  });
});
