import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { TraceCall } from "@nestbox/calls";
import { parsePolicy, type PolicyLayer } from "@nestbox/policy";
import pc from "picocolors";
import { afterAll, describe, expect, it } from "vitest";

import { exitCodes } from "../src/exit-codes.ts";
import { allowHints } from "../src/report/allow-hints.ts";
import { count, decisionLines, treeLines, warningLines } from "../src/report/human.ts";
import { cut, displayWidth, padded, wrapped } from "../src/report/width.ts";
import { fixtureTools, nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-hints-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

function layer(name: PolicyLayer["name"], file: string, rules: readonly object[]): PolicyLayer {
  const parsed = parsePolicy(JSON.stringify({ version: 1, rules }), { file, layer: name });
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return { ok: true, name, file, policy: parsed.policy };
}

const call = (name: string, rule: string, of: string): TraceCall =>
  ({ name, children: [], decision: { effect: "deny", rule, layer: of } }) as unknown as TraceCall;

function hints(
  calls: readonly TraceCall[],
  layers: readonly PolicyLayer[] = [],
  asked = false,
  files: string[] = [],
) {
  return allowHints({ calls, layers, policyFiles: files, asked, fileName: (path) => path }).join("\n");
}

describe("what is said of a denied call", () => {
  const denies = [{ id: "no", effect: "deny", tool: "deploy" }];
  const asks = [{ id: "may-i", effect: "ask", tool: "deploy" }];

  it("names the file and the rule that a person can change", () => {
    expect(hints([call("deploy", "no", "user")], [layer("user", "own.jsonc", denies)])).toBe(
      "deploy: rule no in own.jsonc denies it. To allow it, change that rule.",
    );
    expect(hints([call("deploy", "may-i", "project")], [layer("project", "its.jsonc", asks)])).toContain(
      "rule may-i in its.jsonc asks, and nobody can be asked here. Run it in a terminal",
    );
  });

  it("offers no way around the managed layer and the built-in rules", () => {
    const managed = hints([call("deploy", "no", "managed")], [layer("managed", "m.jsonc", denies)]);
    expect(managed).toContain("no file of yours allows");
    expect(managed).not.toContain('"effect"');
    expect(hints([call("bash", "git.force-push", "built-in")])).toBe("");
  });

  it("says nothing to a person who has said no", () => {
    expect(hints([call("deploy", "may-i", "user")], [layer("user", "own.jsonc", asks)], true)).toBe("");
    expect(hints([call("deploy", "default.annotations", "built-in")], [], true)).toBe("");
  });

  it("says the same once, and of many calls only of the first", () => {
    const same = Array.from({ length: 50 }, () => call("deploy", "default.annotations", "built-in"));
    expect(hints(same).match(/^deploy: /gm)).toHaveLength(1);
    const many = Array.from({ length: 50 }, (_, n) => call(`deploy-${n}`, "default.annotations", "built-in"));
    expect(hints(many).match(/"tool":"deploy-\d+"/g)).toHaveLength(5);
    expect(hints(many)).toMatch(/deploy-4, and 45 more: their/);
    const ruled = many.map(({ name }) => call(name, "no", "user"));
    expect(hints(ruled, [layer("user", "own.jsonc", denies)]).match(/^deploy-\d+: /gm)).toHaveLength(5);
  });

  it("gives a rule that does allow it, also where the tool's name is strange", async () => {
    const code = "await tools.deploy({})";
    const before = await nestbox(["run", "--eval", code, "--tools", fixtureTools]);
    expect(before.exitCode).toBe(3);
    const policy = /^ +(\{ "version".*\})$/m.exec(before.stderr)?.[1] ?? "";
    const after = await nestbox([
      "run",
      "--eval",
      code,
      "--tools",
      fixtureTools,
      "--policy",
      write("hint.jsonc", policy),
    ]);
    expect([after.exitCode, after.stderr.includes("What was denied")]).toEqual([0, false]);
    const two = hints([
      call("a b", "default.annotations", "built-in"),
      call("a-b", "default.annotations", "built-in"),
    ]);
    expect(two.match(/nobody can be asked/g)).toHaveLength(1);
    const parsed = parsePolicy(two.slice(two.indexOf("\n")), { file: "policy.jsonc", layer: "user" });
    expect(parsed.ok && parsed.policy.rules.map(({ id }) => id)).toEqual(["allow-a-b", "allow-a-b-2"]);
    // Into a file that is there already goes the rule alone.
    const rule = hints([call('a "b" c', "default.annotations", "built-in")], [], false, ["mine.jsonc"]);
    expect(rule).toContain("add this to `rules` in mine.jsonc:");
    expect(JSON.parse(rule.split("\n").at(-1) ?? "")).toEqual({
      id: "allow-a--b--c",
      effect: "allow",
      tool: 'a "b" c',
    });
  });
});

describe("data that no script can read", () => {
  // contract A9
  it("is told of once for each tool: structuredContent without an outputSchema", async () => {
    const tools = write(
      "data.mjs",
      `const tool = (name, more = {}) => ({ name, description: "Gives data.", parameters: { type: "object" }, annotations: { readOnlyHint: true, openWorldHint: false }, execute: async () => ({ content: [{ type: "text", text: "1" }], details: {}, structuredContent: { n: 1 } }), ...more });
       export default [tool("silent"), tool("said", { outputSchema: { type: "object" } })];`,
    );
    const { stderr, report } = await nestbox([
      "run",
      "--tools",
      tools,
      "--json",
      "--eval",
      "await tools.silent({}); await tools.said({}); return await tools.silent({})",
    ]);
    expect(report.value).toBe("1");
    expect(stderr.match(/^nestbox: .*structuredContent.*$/gm)).toEqual([
      expect.stringMatching(/silent returned structuredContent.*declares no outputSchema/),
    ]);
  });
});

describe("words and columns", () => {
  it("point to the help for a wrong word, and not for a file that is missing", async () => {
    expect((await nestbox(["rum"])).stderr).toMatch(
      /unknown command 'rum'[^]*Did you mean run[^]*Try: nestbox --help/,
    );
    expect((await nestbox(["run", "nowhere.js"])).stderr).not.toContain("Try:");
  });

  it("of the help name every exit code", async () => {
    const { stdout } = await nestbox(["--help"]);
    const codes = stdout.slice(stdout.indexOf("Exit codes:"));
    for (const code of Object.values(exitCodes)) expect(codes).toMatch(new RegExp(`(^|\\s)${code} \\w`));
    for (const line of codes.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("fit a narrow terminal: long names and notes are cut, and a pipe keeps them", () => {
    const long = { name: "a_very_".repeat(20), status: "running", children: [] } as unknown as TraceCall;
    const wide = {
      name: "検索".repeat(30),
      status: "ok",
      durationMs: 12,
      children: [long],
    } as unknown as TraceCall;
    const noteOf = (): string => "1.20 s  reading the whole of it";
    for (const columns of [50, 80, 140]) {
      for (const line of treeLines([wide], pc.createColors(false), { columns, noteOf }))
        expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    }
    const whole = treeLines([wide], pc.createColors(false), { noteOf });
    expect(whole.join("\n")).toContain("a_very_".repeat(20));
    expect(whole.join("\n")).not.toContain("…");
  });

  it("of decisions alike in a row are one, with how many they were", () => {
    const allowed = (name: string): TraceCall =>
      ({
        id: "x",
        name,
        children: [],
        decision: { effect: "allow", rule: "r", layer: "user" },
      }) as unknown as TraceCall;
    const calls = [...Array.from({ length: 3_000 }, () => allowed("add")), allowed("sub"), allowed("add")];
    expect(decisionLines(calls, pc.createColors(false))).toEqual([
      "allow add  r (user) 3000 times",
      "allow sub  r (user)",
      "allow add  r (user)",
    ]);
  });

  it("of a warning keep its lines, and of a rejection that nobody awaited say what it is", () => {
    const lines = warningLines([
      { kind: "unhandled-rejection", message: "lost\nand found" },
      { kind: "value", message: "cut" },
    ]);
    expect(lines).toEqual(["A promise was rejected, and nobody awaited it: lost", "  and found", "cut"]);
  });

  it("counts as people do", () => {
    expect([0, 1, 2].map((n) => count(n, "rule"))).toEqual(["0 rules", "1 rule", "2 rules"]);
    expect(count(2, "entry", "entries")).toBe("2 entries");
  });

  it("breaks a long text between words in a terminal, and not at all in a pipe", () => {
    const text = "one two three four five six seven eight nine ten";
    const lines = wrapped("do: ", text, 28);
    expect(lines).toEqual(["do: one two three four five", "    six seven eight nine ten"]);
    expect(wrapped("do: ", text, undefined)).toEqual([`do: ${text}`]);
    // A path is longer than a line: it stays whole, to be copied.
    expect(wrapped("", `see ${"/very/long".repeat(5)} now`, 30)).toEqual([
      "see",
      "/very/long".repeat(5),
      "now",
    ]);
  });

  it("moves a path that does not fit behind its indent to the left, whole", () => {
    const path = `/${"p".repeat(29)}`;
    expect(wrapped("problem  policy  ", `of ${path} now`, 40)).toEqual([
      "problem  policy  of",
      `          ${path}`,
      "                 now",
    ]);
    expect(wrapped("problem  policy  ", path, 40)).toEqual(["problem  policy", `          ${path}`]);
    // Wider than the terminal: nothing helps.
    expect(wrapped("do: ", "w".repeat(50), 40)).toEqual([`do: ${"w".repeat(50)}`]);
  });

  it("cuts and pads by columns: wide characters take two, and none is cut in half", () => {
    expect(cut("読み取りツール", 8)).toBe("読み取…");
    expect(displayWidth(cut("読み取りツール", 8))).toBeLessThanOrEqual(8);
    expect(cut("👍🏽👍🏽👍🏽", 4)).toBe("👍🏽…");
    expect(cut("short", 5)).toBe("short");
    expect(displayWidth(padded("検索", 10))).toBe(10);
  });
});
