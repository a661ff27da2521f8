import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, describe, expect, test } from "vitest";

import { readRecording } from "../cases/recording.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";
import { makeFolder } from "../support/repository.ts";
import { refusalOf, reportOf, runReviewTool } from "../support/run.ts";

beforeAll(withProgramsOnPath);

const nodeProject = {
  "package.json": JSON.stringify({
    name: "a",
    private: true,
    type: "module",
    scripts: { test: "node --test" },
  }),
};
const passing = 'import { test } from "node:test";\ntest("passes", () => {});\n';

describe("failing_tests really runs the project's tests", () => {
  // contract A4, A9, A11, A12
  test("failures by file, with what the test file loads", async () => {
    using repository = makeCart();
    const { data, text } = await reportOf("failing_tests", repository.path);
    expect(data).toMatchObject({
      outcome: "failed",
      failed: 1,
      runs: [{ runner: "node:test", folder: ".", outcome: "failed", exitCode: 1 }],
      files: [{ path: "test/cart.test.ts", failed: 1, names: ["three apples"], imports: ["src/cart.ts"] }],
    });
    expect(data.files[0]?.failures[0]).toMatchObject({
      kind: "assertion",
      expected: "150",
      actual: "135",
      line: 7,
    });
    expect(text).toContain("test/cart.test.ts:7 three apples");
  });

  // contract A11: node:test writes values as JavaScript shows them, and some of them are no YAML.
  test("a failure keeps its file, line and values, whatever quotes and lengths they have", async () => {
    using folder = makeFolder({
      ...nodeProject,
      "odd.test.mjs": `import assert from "node:assert/strict";
import { describe, test } from "node:test";
test("apostrophe", () => assert.equal("it's", "# y"));
test("every quote", () => assert.equal("it's \\"x\\" \\u0060y\\u0060", "é\\u0001"));
test("long", () => assert.equal("a".repeat(20_000), "b"));
test("thrown", () => { throw new Error("can't \\"do\\" it"); });
describe("a suite's", () => {
  describe("inner", () => {
    test("deep", () => assert.equal("it's", "deep"));
    test("passes", () => {});
  });
});
test("escapes", () => assert.equal("C:\\\\a \\\\d+", "no ' \\\\d"));
test("no quote", () => assert.equal("C:\\\\a", "D:\\\\b"));
test("nothing to say", () => assert.equal({ a: "it's" }.a, null));
`,
    });
    const { data } = await reportOf("failing_tests", folder.path);
    expect(data).toMatchObject({ outcome: "failed", passed: 1, failed: 8, omitted: 0 });
    expect(data.files.map(({ path }) => path)).toEqual(["odd.test.mjs"]);
    const shown = Object.fromEntries(
      (data.files[0]?.failures ?? []).map(({ name, kind, message, expected, actual, line }) => [
        name,
        [kind, message.slice(0, 40), actual?.slice(0, 20), expected, line],
      ]),
    );
    expect(shown).toEqual({
      apostrophe: ["assertion", expect.stringContaining("Expected values"), "it's", "# y", 3],
      "every quote": ["assertion", expect.any(String), 'it\'s "x" `y`', "é", 4],
      long: ["assertion", expect.any(String), "a".repeat(20), "b", 5],
      thrown: ["error", 'can\'t "do" it', undefined, undefined, 6],
      "a suite's > inner > deep": ["assertion", expect.any(String), "it's", "deep", 9],
      escapes: ["assertion", expect.any(String), "C:\\a \\d+", "no ' \\d", 13],
      "no quote": ["assertion", expect.any(String), "C:\\a", "D:\\b", 14],
      "nothing to say": ["assertion", expect.any(String), "it's", "null", 15],
    });
  });

  test("nothing in the project is written", async () => {
    using folder = makeFolder({ ...nodeProject, "a.test.mjs": passing });
    const list = (): string =>
      execFileSync("find", [".", "-type", "f", "-newermt", "2000-01-01", "-printf", "%p %T@ %s\n"], {
        cwd: folder.path,
        encoding: "utf8",
      });
    const before = list();
    expect((await reportOf("failing_tests", folder.path)).data.outcome).toBe("passed");
    expect(list()).toBe(before);
  });

  test("a reporter of the script's own stays, and ours is read", async () => {
    using folder = makeFolder({
      "package.json": JSON.stringify({
        name: "a",
        private: true,
        type: "module",
        scripts: { test: "node --test --test-reporter=spec" },
      }),
      "a.test.mjs": passing,
    });
    expect((await reportOf("failing_tests", folder.path)).data).toMatchObject({
      outcome: "passed",
      passed: 1,
    });
  });

  test("a folder of the project, and never one outside of it", async () => {
    using folder = makeFolder({
      ...nodeProject,
      "a.test.mjs": passing,
      "inner/package.json": nodeProject["package.json"],
      "inner/b.test.mjs": passing.replace("() => {}", "() => { throw new Error('b'); }"),
    });
    const { data } = await reportOf("failing_tests", folder.path, { path: "inner" });
    expect(data).toMatchObject({
      outcome: "failed",
      runs: [{ folder: "inner" }],
      files: [{ path: "inner/b.test.mjs" }],
    });
    // contract B8
    using outside = makeFolder(nodeProject);
    symlinkSync(outside.path, join(folder.path, "link"));
    for (const path of ["../", "/etc", "link", "inner/../..", "a.test.mjs", "nope"]) {
      expect([path, (await runReviewTool("failing_tests", folder.path, { path })).kind]).toEqual([
        path,
        "error",
      ]);
    }
  });

  test("a script that is not there is refused with the way out", async () => {
    using folder = makeFolder(nodeProject);
    expect(await refusalOf("failing_tests", folder.path, { script: "nope" })).toContain(
      "Call failing_tests without script",
    );
  });

  test("no runner at all, and one that is not known", async () => {
    using empty = makeFolder({ "a.txt": "" });
    expect((await reportOf("failing_tests", empty.path)).data).toMatchObject({
      outcome: "no-tests",
      runs: [],
    });
    using own = makeFolder({
      "package.json": JSON.stringify({ name: "a", scripts: { test: "node check.cjs" } }),
      "check.cjs": "console.log('broken here');\nprocess.exit(3);\n",
    });
    const { data, text } = await reportOf("failing_tests", own.path);
    expect(data).toMatchObject({ outcome: "unreadable", runs: [{ runner: "unknown", exitCode: 3 }] });
    expect(text).toContain("broken here");
    using tap = makeFolder({
      "package.json": JSON.stringify({ name: "a", scripts: { test: "node tap.cjs" } }),
      "tap.cjs": "console.log('TAP version 13\\n1..2\\nok 1 - a\\nnot ok 2 - b');\nprocess.exit(1);\n",
    });
    expect((await reportOf("failing_tests", tap.path)).data).toMatchObject({
      outcome: "failed",
      passed: 1,
      failed: 1,
    });
  });

  test("a runner that its script names and that is not installed", async () => {
    using folder = makeFolder({
      "package.json": JSON.stringify({
        name: "a",
        scripts: { test: "mocha-that-is-not-there && jest-that-is-not-there" },
      }),
    });
    expect((await reportOf("failing_tests", folder.path)).data).toMatchObject({ outcome: "not-installed" });
  });
});

describe("failing_tests reads any JUnit XML or TAP file of the project", () => {
  test("JUnit XML", async () => {
    using folder = makeFolder({ "out/junit.xml": readRecording("bun-failures").files["bun.xml"] ?? "" });
    const { data } = await reportOf("failing_tests", folder.path, { report: "out/junit.xml" });
    expect(data).toMatchObject({
      outcome: "failed",
      runs: [{ runner: "junit" }],
      passed: 1,
      failed: 3,
      skipped: 1,
    });
    expect(data.files[0]?.path).toBe("test/add.test.js");
  });

  test("a report of another machine, whose folders are not ours", async () => {
    using folder = makeFolder({
      "n.tap": readRecording("node-test-failures").files["node.tap"] ?? "",
      "test/add.test.js": "",
    });
    const { data } = await reportOf("failing_tests", folder.path, { report: "n.tap" });
    expect(data.files.map(({ path, failed }) => `${path} ${failed}`)).toEqual([
      "test/add.test.js 4",
      "(unknown file) 1",
    ]);
  });

  test("TAP, whole and cut off", async () => {
    const tap = readRecording("node-test-failures").files["node.tap"] ?? "";
    using folder = makeFolder({
      "a.tap": tap,
      "cut.tap": "TAP version 13\nok 1 - a\nBail out! no database\n",
    });
    expect((await reportOf("failing_tests", folder.path, { report: "a.tap" })).data).toMatchObject({
      outcome: "failed",
      failed: 5,
    });
    expect((await reportOf("failing_tests", folder.path, { report: "cut.tap" })).data).toMatchObject({
      outcome: "crashed",
      runs: [{ message: "Bail out! no database" }],
    });
  });

  test("anything else, or anywhere else, is refused", async () => {
    using folder = makeFolder({ "a.txt": "hello\n", "b.xml": "<html/>" });
    using outside = makeFolder({ "junit.xml": "<testsuites/>" });
    symlinkSync(join(outside.path, "junit.xml"), join(folder.path, "link.xml"));
    execFileSync("mkfifo", [join(folder.path, "pipe.xml")]);
    for (const report of [
      "a.txt",
      "b.xml",
      "link.xml",
      "pipe.xml",
      "../junit.xml",
      "/etc/passwd",
      "nope.xml",
      ".",
    ]) {
      expect([report, (await runReviewTool("failing_tests", folder.path, { report })).kind]).toEqual([
        report,
        "error",
      ]);
    }
  });
});
