import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { runnerCases } from "../cases/cases.ts";
import { mismatches } from "../cases/check.ts";
import { runnerModules } from "../cases/modules.ts";
import { makeProject } from "../cases/project.ts";
import { reportOf } from "../support/run.ts";

const lockFiles = {
  npm: { "package-lock.json": '{ "name": "a", "lockfileVersion": 3, "packages": {} }' },
  pnpm: { "pnpm-workspace.yaml": "verifyDepsBeforeRun: false\n" },
  yarn: { "yarn.lock": "" },
  bun: { "bun.lock": "{}" },
};

const find = (name: string) => runnerCases.find((found) => found.name === name);

describe("every package manager hands the reporter's arguments on", () => {
  test.each(Object.keys(lockFiles) as (keyof typeof lockFiles)[])("%s", async (manager) => {
    const runnerCase = find("vitest-failures");
    if (runnerCase === undefined) throw new Error("no case");
    await using project = await makeProject(
      { project: "vitest", files: lockFiles[manager] },
      runnerModules(),
    );
    const { data } = await reportOf("failing_tests", project.path);
    expect(mismatches(runnerCase, data)).toEqual([]);
    expect(data.runs[0]?.command).toContain(manager);
  });
});

describe("run_checks really runs the usual commands of other languages", () => {
  test("Python", async () => {
    await using project = await makeProject({ project: "pytest" });
    const { data } = await reportOf("run_checks", project.path);
    expect(data.steps.map(({ id, status, exitCode }) => ({ id, status, exitCode }))).toEqual([
      { id: "test:pytest", status: "failed", exitCode: 2 },
    ]);
  });

  test("Go, with the place of what does not build", async () => {
    await using project = await makeProject({ project: "go" });
    const { data } = await reportOf("run_checks", project.path);
    expect(data.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "typecheck:go failed",
      "test:go failed",
    ]);
    expect(data.steps[0]?.problems).toContainEqual(
      expect.objectContaining({ path: "broken/broken_test.go", line: 6 }),
    );
  });

  test("Rust, with the place of what does not build", async () => {
    const source = '#[test]\nfn a() {\n    let _x: i32 = "a";\n}\n';
    await using project = await makeProject({
      project: "cargo",
      files: { tests: null, "src/lib.rs": source },
    });
    const { data } = await reportOf("run_checks", project.path);
    expect(data.steps.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "typecheck:cargo failed",
      "test:cargo failed",
    ]);
    expect(data.steps[0]?.problems).toContainEqual(
      expect.objectContaining({ path: "src/lib.rs", line: 3, code: "E0308" }),
    );
    expect(readFileSync(join(project.path, "src/lib.rs"), "utf8")).toBe(source);
  });
});
