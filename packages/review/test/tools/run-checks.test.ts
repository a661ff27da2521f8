import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { ToolResult } from "@nestbox/tool";
import { beforeAll, describe, expect, test } from "vitest";

import type { ChecksReport } from "../../src/checks.ts";
import { makeFolder } from "../support/repository.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";
import { refusalOf, reportOf, runReviewTool } from "../support/run.ts";

beforeAll(withProgramsOnPath);

const project = (scripts: Record<string, string>, more: Record<string, string> = {}) =>
  makeFolder({
    "package.json": JSON.stringify({ name: "a", private: true, type: "module", scripts }),
    ...more,
  });

describe("run_checks runs the project's own checks", () => {
  // contract A4, A5, A9
  test("each step with exit code, duration, output and the places it names; a failure is data", async () => {
    using repository = makeCart();
    const { data, text } = await reportOf("run_checks", repository.path);
    expect(data.ok).toBe(false);
    expect(data.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "typecheck failed",
      "test failed",
    ]);
    const [types, unit] = data.steps;
    expect(types).toMatchObject({
      kind: "typecheck",
      ok: false,
      problems: [{ path: "src/cart.ts", line: 2, code: "TS2322", severity: "error" }],
    });
    expect(types?.exitCode).toBeGreaterThan(0);
    expect(types?.durationMs).toBeGreaterThan(0);
    expect(unit?.output).toContain("three apples");
    expect(data.skipped).toEqual([{ kind: "lint", reason: "none was found in this project" }]);
    expect(text).toContain("src/cart.ts:2:9 error TS2322");
  });

  test("skipTests and only leave out what they say, and say so", async () => {
    using folder = project({ typecheck: "node -e 0", lint: "node -e 0", test: "node -e process.exit(9)" });
    const skipped = await reportOf("run_checks", folder.path, { skipTests: true });
    expect(skipped.data).toMatchObject({ ok: true, skipped: [{ kind: "test", reason: "skipTests is set" }] });
    const only = await reportOf("run_checks", folder.path, { only: ["lint"] });
    expect(only.data.steps.map(({ kind }) => kind)).toEqual(["lint"]);
    expect(only.data.skipped.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
      "typecheck: not asked for",
      "test: not asked for",
    ]);
  });

  test("a project without checks passes none of them", async () => {
    using folder = makeFolder({ "a.txt": "" });
    expect((await reportOf("run_checks", folder.path)).data).toMatchObject({ ok: false, steps: [] });
  });

  test("a workspace of more checks than one call runs is told so, and so is one of more test runs", async () => {
    const member = JSON.stringify({ name: "m", scripts: { lint: "node -e 0", test: "node -e 0" } });
    const files: Record<string, string> = { "package.json": JSON.stringify({ workspaces: ["p/*"] }) };
    for (let index = 0; index < 34; index += 1) files[`p/m${index}/package.json`] = member;
    using folder = makeFolder(files);
    const { data, text } = await reportOf("run_checks", folder.path, { timeoutSeconds: 300 });
    expect(data.steps).toHaveLength(64);
    expect(data.notRun).toBe(4);
    expect(data.skipped.map(({ kind }) => kind)).toEqual(["typecheck", "lint", "test"]);
    expect(text).toContain("2 more: at most 64 steps run in one call");
    const tests = await reportOf("failing_tests", folder.path, { timeoutSeconds: 300 });
    expect(tests.data.runs).toHaveLength(32);
    expect(tests.data.notRun).toBe(2);
    expect(tests.text).toContain("2 more test runs were left out");
  }, 600_000);

  test("a manifest that cannot be read is told, not taken for a project without checks", async () => {
    for (const manifest of ['<<<<<<< HEAD\n{ "scripts": {} }\n', "[]", ""]) {
      using folder = makeFolder({ "package.json": manifest });
      const { data, text } = await reportOf("run_checks", folder.path);
      expect(data.ok).toBe(false);
      expect(data.skipped.map(({ reason }) => reason)).toEqual(
        Array.from({ length: 3 }, () => expect.stringMatching(/^package\.json cannot be read/) as string),
      );
      expect(text).toContain("package.json cannot be read");
      expect(await refusalOf("failing_tests", folder.path, {})).toMatch(/package\.json cannot be read/);
    }
  });

  test("independent steps run at the same time", async () => {
    // Each waits for the file of the other: one after the other, they would never end.
    const meet = (own: string, other: string): string =>
      `import { existsSync, writeFileSync } from "node:fs";\nwriteFileSync("${own}", "");\nwhile (!existsSync("${other}")) await new Promise((resolve) => setTimeout(resolve, 10));\n`;
    using folder = project(
      { typecheck: "node a.mjs", lint: "node b.mjs" },
      { "a.mjs": meet("a", "b"), "b.mjs": meet("b", "a") },
    );
    expect((await reportOf("run_checks", folder.path, { timeoutSeconds: 50 })).data.ok).toBe(true);
  });

  // contract B4
  test("progress is complete, step by step", async () => {
    // The second ends when it was told that the first has.
    const later = `import { existsSync } from "node:fs";
while (!existsSync("told")) await new Promise((resolve) => setTimeout(resolve, 10));
`;
    using folder = project(
      { typecheck: "node first.mjs", lint: "node later.mjs" },
      { "first.mjs": "", "later.mjs": later },
    );
    const onUpdate = ({ content: [first] }: ToolResult): void => {
      if (first?.type === "text" && first.text.startsWith("1 of 2"))
        writeFileSync(join(folder.path, "told"), "");
    };
    const run = await runReviewTool("run_checks", folder.path, {}, { onUpdate });
    const told = run.updates.map(({ content, details }) => {
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      const { steps } = details as ChecksReport;
      return [/^\d of \d steps done/.exec(text)?.[0], ...steps.map(({ id, status }) => `${id} ${status}`)];
    });
    expect(told).toEqual([
      ["0 of 2 steps done"],
      ["1 of 2 steps done", "typecheck passed"],
      ["2 of 2 steps done", "typecheck passed", "lint passed"],
    ]);
    for (const update of run.updates)
      expect(update).toMatchObject({ content: [{ type: "text" }], details: { steps: expect.any(Array) } });
    expect(run.lateUpdates()).toBe(0);
  });

  // contract A12
  test("output that is cut is complete in a file that content and data name", async () => {
    using folder = project(
      { lint: "node lint.mjs" },
      {
        "lint.mjs": 'for (let i = 0; i < 20_000; i += 1) console.log("line " + i);\nprocess.exitCode = 1;\n',
      },
    );
    const { data, text } = await reportOf("run_checks", folder.path, { only: ["lint"] });
    const [step] = data.steps;
    expect(step).toMatchObject({ truncated: true });
    const path = step?.fullOutputPath ?? "";
    expect(text).toContain(path);
    const complete = readFileSync(path, "utf8");
    expect(complete).toContain("line 0\n");
    expect(complete).toContain("line 10000\n");
    expect(complete).toContain("line 19999\n");
    expect(step?.output).toMatch(/^line 0\n/);
    expect(step?.output).toMatch(/line 19999\n?$/);
  });

  // contract B9
  test("no word of the model's reaches a shell: arguments are closed", async () => {
    using folder = project({ lint: "node -e 0" });
    for (const args of [
      { only: ["lint; touch owned"] },
      { command: "touch owned" },
      { timeoutSeconds: "1; touch owned" },
    ]) {
      expect((await runReviewTool("run_checks", folder.path, args)).kind).toBe("invalid");
    }
    expect(existsSync(join(folder.path, "owned"))).toBe(false);
  });

  // contract B2
  test("loosely written arguments are coerced", async () => {
    using folder = project({ lint: "node -e 0", test: "node -e 1" });
    const { data } = await reportOf("run_checks", folder.path, { skipTests: "true", timeoutSeconds: "30" });
    expect(data.steps.map(({ kind }) => kind)).toEqual(["lint"]);
  });

  test("the folder of the context, then the option's, then the process's", async () => {
    using folder = project({ lint: "node -e 0" });
    const run = await runReviewTool("run_checks", "", { only: ["lint"] }, { tools: { cwd: folder.path } });
    expect(run).toMatchObject({ kind: "result", result: { structuredContent: { ok: true } } });
  });
});
