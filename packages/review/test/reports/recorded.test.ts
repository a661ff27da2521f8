import { describe, expect, test } from "vitest";

import { parseTap } from "../../src/node/tap.ts";
import { parseCargoText } from "../../src/reports/cargo-text.ts";
import { parseGoJson } from "../../src/reports/go-json.ts";
import { parseJestJson } from "../../src/reports/jest-json.ts";
import { parseJunit } from "../../src/reports/junit.ts";
import { parseMochaJson } from "../../src/reports/mocha-json.ts";
import { parsePlaywrightJson } from "../../src/reports/playwright-json.ts";
import type { ParsedFailure, ReportResult } from "../../src/reports/report.ts";
import { readRecording } from "../cases/recording.ts";

/** A file that the runner left, or what it printed. */
function recorded(name: string, file: string): string {
  const { files, stdout, stderr } = readRecording(`${name}-failures`);
  const found = file === "stdout" ? stdout : file === "stderr" ? stderr : files[file];
  if (found === undefined) throw new Error(`${name} left no ${file}`);
  return found;
}

function read(result: ReportResult) {
  if (!result.ok) throw new Error(result.reason);
  const { passed, failed, skipped, failures } = result.report;
  return {
    counts: { passed, failed, skipped },
    failures: failures.map(({ stack: _stack, ...rest }) => rest),
  };
}

function named(failures: readonly Omit<ParsedFailure, "stack">[], name: string) {
  return failures.find((failure) => failure.name === name);
}

// contract A11
describe("what real runners wrote is read as file, name, message, expected, actual and line", () => {
  test.each([
    ["vitest", "full.json"],
    ["jest", "jest.json"],
  ])("%s", (name, file) => {
    const { counts, failures } = read(parseJestJson(recorded(name, file)));
    expect(counts).toEqual({ passed: 1, failed: 4, skipped: 1 });
    expect(named(failures, "add > adds <three> & 'more'")).toMatchObject({
      file: "/project/test/add.test.js",
      kind: "assertion",
      expected: "4",
      actual: "3",
    });
    expect(named(failures, "throws")).toMatchObject({ kind: "error", message: "TypeError: no such thing" });
    const load = failures.find((failure) => failure.kind === "load");
    expect(load).toMatchObject({ file: "/project/test/broken.test.js", name: "(file)" });
    expect(load?.message).toMatch(/Cannot find module '\.\.\/src\/missing\.js'/);
    expect(load?.message).not.toContain("\u001B");
  });

  test("vitest's own json reporter, which knows no expected and actual", () => {
    const { counts, failures } = read(parseJestJson(recorded("vitest", "vitest.json")));
    expect(counts).toEqual({ passed: 1, failed: 4, skipped: 1 });
    expect(named(failures, "add > adds <three> & 'more'")).toMatchObject({
      kind: "assertion",
      message: "AssertionError: expected 3 to be 4 // Object.is equality",
    });
  });

  test("mocha, with a hook that failed", () => {
    const { counts, failures } = read(parseMochaJson(recorded("mocha", "mocha.json")));
    expect(counts).toEqual({ passed: 1, failed: 4, skipped: 1 });
    expect(named(failures, "add > adds <three> & 'more'")).toMatchObject({
      expected: "4",
      actual: "3",
      kind: "assertion",
    });
    expect(failures.map(({ name }) => name)).toContain('hooks > "before all" hook for "never runs"');
  });

  test("playwright, where what passed on a retry has passed", () => {
    const { counts, failures } = read(parsePlaywrightJson(recorded("playwright", "playwright.json")));
    expect(counts).toEqual({ passed: 2, failed: 2, skipped: 1 });
    expect(named(failures, "add > adds <three> & 'more'")).toMatchObject({
      file: "/project/test/add.spec.js",
      expected: "4",
      actual: "3",
      line: 11,
      column: 23,
    });
  });

  test("bun", async () => {
    const { counts, failures } = read(await parseJunit(recorded("bun", "bun.xml")));
    expect(counts).toEqual({ passed: 1, failed: 3, skipped: 1 });
    expect(named(failures, "add > adds <three> & 'more'")).toMatchObject({
      file: "test/add.test.js",
      expected: "4",
      actual: "3",
      line: 11,
    });
  });

  test("pytest, with a fixture that failed and a module that cannot be imported", async () => {
    const { counts, failures } = read(await parseJunit(recorded("pytest", "pytest.xml")));
    expect(counts).toEqual({ passed: 2, failed: 5, skipped: 1 });
    expect(named(failures, "TestMore > test_adds_three")).toMatchObject({
      file: "tests/test_add.py",
      expected: "4",
      actual: "3",
      line: 12,
      kind: "assertion",
    });
    expect(named(failures, "test_strings[a [b]]")).toMatchObject({ expected: "'c'", actual: "'a [b]'" });
    expect(named(failures, "(file)")).toMatchObject({
      file: "tests/test_broken.py",
      kind: "load",
      message: "ModuleNotFoundError: No module named 'missing_module'",
    });
    expect(named(failures, "test_needs_the_database")).toMatchObject({ kind: "error" });
  });

  test("node:test, where a suite only repeats its tests and a printed line is no result", async () => {
    const { counts, failures } = read(await parseTap(recorded("node-test", "node.tap")));
    expect(counts).toEqual({ passed: 2, failed: 5, skipped: 2 });
    expect(named(failures, "add > adds <three> & 'more' # with a hash")).toMatchObject({
      file: "/project/test/add.test.js",
      expected: "4",
      actual: "3",
    });
    expect(named(failures, "has steps > second step")).toMatchObject({ message: "the second step" });
    expect(named(failures, "test/broken.test.js")).toMatchObject({ kind: "load" });
    expect(named(failures, "test/broken.test.js")?.message).toContain("Cannot find module");
  });

  test("go test, with a package that does not build and a test that panics", () => {
    const result = parseGoJson(recorded("go", "stdout"), {
      diagnostics: recorded("go", "stderr"),
      module: "example.test/adding",
    });
    const { counts, failures } = read(result);
    expect(counts).toEqual({ passed: 2, failed: 4, skipped: 1 });
    expect(named(failures, "TestAddsThree")).toMatchObject({
      file: "add_test.go",
      line: 13,
      expected: "4",
      actual: "3",
    });
    expect(named(failures, "TestTable > second_one")).toMatchObject({
      message: 'got "second one"\nwant "first"',
    });
    expect(named(failures, "TestPanics")).toMatchObject({
      file: "/project/crash/crash_test.go",
      line: 7,
      kind: "error",
    });
    expect(failures.find(({ kind }) => kind === "load")).toMatchObject({
      file: "broken/broken_test.go",
      line: 6,
      column: 2,
    });
  });

  test.each(["cargo", "cargo-1.63"])("%s test, where what a test prints is no result", (name) => {
    const { counts, failures } = read(parseCargoText(recorded(name, "stdout"), recorded(name, "stderr")));
    expect(counts).toEqual({ passed: 1, failed: 5, skipped: 1 });
    expect(named(failures, "tests > adds_three")).toMatchObject({
      file: "src/lib.rs",
      line: 17,
      expected: "4",
      actual: "3",
    });
    expect(named(failures, "adds_from_outside")).toMatchObject({
      file: "tests/outside.rs",
      line: 5,
      message: "two and two",
    });
    // Where the assertion that fails is the standard library's.
    expect(named(failures, "tests > returns_an_error")?.file).toBe("src/lib.rs");
    expect(failures.map(({ name }) => name)).not.toContain("printed > by_a_test");
  });
});
