import type { RunnerName } from "../../src/node/runners/runner.ts";
import type { TestOutcome } from "../../src/failures.ts";

/**
 * One situation of one runner. The recorded tests read what the runner wrote when it was recorded, the live tests
 * run it; both expect the same.
 */
export interface RunnerCase {
  readonly name: string;
  readonly runner: RunnerName;
  /** Folder of `test/fixtures/projects`. */
  readonly project: string;
  /** Files that are written over the project; `null` removes a file or a folder. */
  readonly files?: Readonly<Record<string, string | null>>;
  readonly expected: {
    readonly outcome: TestOutcome;
    readonly counts?: readonly [passed: number, failed: number, skipped: number];
    /** Failures that must be there, `file:line name`; a `*` line is any. */
    readonly failures?: readonly string[];
    readonly message?: RegExp;
  };
}

const gone = (...paths: string[]): Record<string, null> =>
  Object.fromEntries(paths.map((path) => [path, null]));
const add = "add > adds <three> & 'more'";

const failures: readonly RunnerCase[] = [
  {
    name: "vitest-failures",
    runner: "vitest",
    project: "vitest",
    expected: {
      outcome: "failed",
      counts: [1, 4, 1],
      failures: [
        `test/add.test.js:11 ${add}`,
        "test/add.test.js:16 compares objects",
        "test/add.test.js:20 throws",
        "test/broken.test.js:1 (file)",
      ],
    },
  },
  {
    name: "jest-failures",
    runner: "jest",
    project: "jest",
    expected: {
      outcome: "failed",
      counts: [1, 4, 1],
      failures: [
        `test/add.test.js:9 ${add}`,
        "test/add.test.js:14 compares objects",
        "test/add.test.js:18 throws",
        "test/broken.test.js:1 (file)",
      ],
    },
  },
  {
    name: "mocha-failures",
    runner: "mocha",
    project: "mocha",
    expected: {
      outcome: "failed",
      counts: [1, 4, 1],
      failures: [
        `test/add.test.js:11 ${add}`,
        "test/add.test.js:26 compares objects",
        "test/add.test.js:30 throws",
        'test/add.test.js:19 hooks > "before all" hook for "never runs"',
      ],
    },
  },
  {
    name: "mocha-load",
    runner: "mocha",
    project: "mocha",
    files: { "test/broken.test.js": 'import "./missing.js";\n' },
    expected: { outcome: "failed", counts: [0, 1, 0], failures: ["test/broken.test.js:* (file)"] },
  },
  {
    name: "node-test-failures",
    runner: "node:test",
    project: "node-test",
    expected: {
      outcome: "failed",
      counts: [2, 5, 2],
      failures: [
        `test/add.test.js:14 ${add} # with a hash`,
        "test/add.test.js:19 compares objects",
        "test/add.test.js:23 throws",
        "test/add.test.js:29 has steps > second step",
        "test/broken.test.js:1 test/broken.test.js",
      ],
    },
  },
  {
    name: "playwright-failures",
    runner: "playwright",
    project: "playwright",
    expected: {
      outcome: "failed",
      counts: [2, 2, 1],
      failures: [`test/add.spec.js:11 ${add}`, "test/add.spec.js:20 throws"],
    },
  },
  {
    name: "bun-failures",
    runner: "bun",
    project: "bun",
    expected: {
      outcome: "failed",
      counts: [1, 4, 1],
      failures: [
        `test/add.test.js:11 ${add}`,
        "test/add.test.js:16 compares objects",
        "test/add.test.js:20 throws",
        "test/broken.test.js:* (file)",
      ],
    },
  },
  {
    name: "pytest-failures",
    runner: "pytest",
    project: "pytest",
    expected: {
      outcome: "failed",
      counts: [2, 5, 1],
      failures: [
        "tests/test_add.py:12 TestMore > test_adds_three",
        "tests/test_add.py:17 test_strings[a [b]]",
        "tests/test_add.py:21 test_throws",
        "tests/test_add.py:26 test_needs_the_database",
        "tests/test_broken.py:1 (file)",
      ],
    },
  },
  {
    name: "go-failures",
    runner: "go",
    project: "go",
    expected: {
      outcome: "failed",
      counts: [2, 4, 1],
      failures: [
        "add_test.go:13 TestAddsThree",
        "add_test.go:21 TestTable > second_one",
        "crash/crash_test.go:7 TestPanics",
        "broken/broken_test.go:6 (build of example.test/adding/broken)",
      ],
    },
  },
  {
    name: "cargo-failures",
    runner: "cargo",
    project: "cargo",
    expected: {
      outcome: "failed",
      counts: [1, 5, 1],
      failures: [
        "src/lib.rs:17 tests > adds_three",
        "src/lib.rs:22 tests > panics",
        "src/lib.rs:* tests > returns_an_error",
        "src/lib.rs:36 tests > should_have_panicked",
        "tests/outside.rs:5 adds_from_outside",
      ],
    },
  },
  {
    name: "cargo-build",
    runner: "cargo",
    project: "cargo",
    files: { ...gone("tests"), "src/lib.rs": '#[test]\nfn a() {\n    let _x: i32 = "a";\n}\n' },
    expected: { outcome: "failed", counts: [0, 1, 0], failures: ["src/lib.rs:3 (build)"] },
  },
];

const passes = (
  runner: "vitest" | "jest" | "mocha" | "playwright" | "bun",
  path: string,
  source: string,
): RunnerCase => ({
  name: `${runner}-passing`,
  runner,
  project: runner,
  files: { ...gone("test"), [path]: source },
  expected: { outcome: "passed", counts: [2, 0, 1] },
});

/** Two tests that pass and one that is skipped, as `it`, `expect` and `describe` have them. */
const twoPass = `describe("group", () => {
  it("passes", () => { expect(1).toBe(1); });
  it.skip("is skipped", () => {});
});
it("passes too", () => {});
`;

const passing: readonly RunnerCase[] = [
  passes("vitest", "test/a.test.js", `import { describe, expect, it } from "vitest";\n\n${twoPass}`),
  passes("jest", "test/a.test.js", twoPass),
  passes(
    "mocha",
    "test/a.test.js",
    'describe("group", () => {\n  it("passes", () => {});\n  it.skip("is skipped", () => {});\n});\nit("passes too", () => {});\n',
  ),
  passes(
    "playwright",
    "test/a.spec.js",
    'import { test } from "@playwright/test";\n\ntest("passes", () => {});\ntest("passes too", () => {});\ntest.skip("is skipped", () => {});\n',
  ),
  passes("bun", "test/a.test.js", `import { describe, expect, it } from "bun:test";\n\n${twoPass}`),
  {
    name: "go-passing",
    runner: "go",
    project: "go",
    files: {
      ...gone("broken", "crash"),
      "add_test.go":
        'package adding\n\nimport "testing"\n\nfunc TestPasses(t *testing.T) {}\n\nfunc TestPassesToo(t *testing.T) {}\n\nfunc TestIsSkipped(t *testing.T) { t.Skip("later") }\n',
    },
    expected: { outcome: "passed", counts: [2, 0, 1] },
  },
  {
    name: "node-test-passing",
    runner: "node:test",
    project: "node-test",
    files: {
      ...gone("test"),
      "test/a.test.js": 'import { test } from "node:test";\n\ntest("passes", () => {});\n',
    },
    expected: { outcome: "passed", counts: [1, 0, 0] },
  },
  {
    name: "pytest-passing",
    runner: "pytest",
    project: "pytest",
    files: { ...gone("tests/test_broken.py"), "tests/test_add.py": "def test_passes():\n    pass\n" },
    expected: { outcome: "passed", counts: [1, 0, 0] },
  },
  {
    name: "cargo-passing",
    runner: "cargo",
    project: "cargo",
    files: { ...gone("tests"), "src/lib.rs": "#[test]\nfn passes() {}\n" },
    expected: { outcome: "passed", counts: [1, 0, 0] },
  },
];

const noTests: readonly RunnerCase[] = [
  ...(["vitest", "jest", "mocha", "playwright", "bun", "node-test"] as const).map((project): RunnerCase => ({
    name: `${project}-no-tests`,
    runner: project === "node-test" ? "node:test" : project,
    project,
    files: gone("test"),
    expected: { outcome: "no-tests", counts: [0, 0, 0] },
  })),
  {
    name: "pytest-no-tests",
    runner: "pytest",
    project: "pytest",
    files: gone("tests/test_add.py", "tests/test_broken.py"),
    expected: { outcome: "no-tests" },
  },
  {
    name: "go-no-tests",
    runner: "go",
    project: "go",
    files: gone("add_test.go", "broken", "crash"),
    expected: { outcome: "no-tests" },
  },
  {
    name: "cargo-no-tests",
    runner: "cargo",
    project: "cargo",
    files: { ...gone("tests"), "src/lib.rs": "pub fn a() {}\n" },
    expected: { outcome: "no-tests" },
  },
];

const config = (
  runner: RunnerName,
  project: string,
  name: string,
  files: Record<string, string>,
  message: RegExp,
): RunnerCase => ({
  name,
  runner,
  project,
  files,
  expected: { outcome: "config-error", counts: [0, 0, 0], message },
});

const configErrors: readonly RunnerCase[] = [
  config("vitest", "vitest", "vitest-config", { "vitest.config.js": "export default { throw\n" }, /Error/),
  config(
    "jest",
    "jest",
    "jest-config",
    { "jest.config.js": "module.exports = { testEnvironment: 1 };\n" },
    /Validation Error/,
  ),
  config("jest", "jest", "jest-config-syntax", { "jest.config.js": "module.exports = {\n" }, /SyntaxError/),
  config("mocha", "mocha", "mocha-config", { ".mocharc.json": "{ bad\n" }, /Unable to read\/parse/),
  config(
    "mocha",
    "mocha",
    "mocha-config-require",
    { ".mocharc.json": '{ "require": ["./nope.js"] }\n' },
    /Cannot find module/,
  ),
  config(
    "playwright",
    "playwright",
    "playwright-config",
    { "playwright.config.js": 'throw new Error("bad");\n' },
    /Error: bad/,
  ),
  config("bun", "bun", "bun-config", { "bunfig.toml": "[test\n" }, /error: /),
  config(
    "node:test",
    "node-test",
    "node-test-config",
    {
      "package.json":
        '{ "name": "a", "private": true, "type": "module", "scripts": { "test": "node --test --nope-flag" } }\n',
    },
    /bad option/,
  ),
  config("pytest", "pytest", "pytest-config", { "pytest.ini": "[pytest]\naddopts = --nope\n" }, /usage/),
  config(
    "go",
    "go",
    "go-config",
    { "go.mod": "module example.test/adding\nnonsense\n" },
    /unknown directive/,
  ),
  config("cargo", "cargo", "cargo-config", { "Cargo.toml": "[package\n" }, /error/),
];

const kill = "process.kill(process.pid, 'SIGKILL')";
/** A runner that is itself killed leaves no report; 137 is what a shell makes of SIGKILL. */
const crashed = { outcome: "crashed", message: /ended by SIGKILL|exited with code 137/ } as const;
const crashes: readonly RunnerCase[] = [
  {
    name: "vitest-crash",
    runner: "vitest",
    project: "vitest",
    files: {
      ...gone("test"),
      // In a thread, the process that a test kills is the runner's own.
      "vitest.config.js": 'export default { test: { pool: "threads" } };\n',
      "test/a.test.js": `import { test } from "vitest";\n\ntest("a", () => {});\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: crashed,
  },
  {
    name: "vitest-worker-crash",
    runner: "vitest",
    project: "vitest",
    files: {
      ...gone("test"),
      "vitest.config.js": 'export default { test: { pool: "forks" } };\n',
      "test/a.test.js": `import { test } from "vitest";\n\ntest("a", () => {});\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: { outcome: "crashed", message: /[Ww]orker/ },
  },
  {
    name: "bun-crash",
    runner: "bun",
    project: "bun",
    files: {
      ...gone("test"),
      "test/a.test.js": `import { test } from "bun:test";\n\ntest("a", () => {});\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: crashed,
  },
  {
    name: "playwright-crash",
    runner: "playwright",
    project: "playwright",
    files: {
      ...gone("test"),
      // Tests run in workers; what ends the whole run is run by the runner itself.
      "playwright.config.js":
        'export default { testDir: "test", workers: 1, globalTeardown: "./teardown.js" };\n',
      "teardown.js": `export default () => { ${kill}; };\n`,
      "test/a.spec.js": 'import { test } from "@playwright/test";\n\ntest("a", () => {});\n',
    },
    expected: crashed,
  },
  {
    name: "playwright-worker-crash",
    runner: "playwright",
    project: "playwright",
    files: {
      ...gone("test"),
      "playwright.config.js": 'export default { testDir: "test", workers: 1 };\n',
      "test/a.spec.js": `import { test } from "@playwright/test";\n\ntest("a", () => {});\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: { outcome: "failed", counts: [1, 1, 0], failures: ["test/a.spec.js:* kills"] },
  },
  {
    name: "jest-crash",
    runner: "jest",
    project: "jest",
    files: {
      ...gone("test"),
      "test/a.test.js": `test("a", () => {});\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: { outcome: "crashed", message: /left no report|ended by/ },
  },
  {
    name: "mocha-crash",
    runner: "mocha",
    project: "mocha",
    files: { ...gone("test"), "test/a.test.js": `it("a", () => {});\nit("kills", () => { ${kill}; });\n` },
    expected: { outcome: "crashed", message: /left no report|ended by/ },
  },
  {
    name: "node-test-file-crash",
    runner: "node:test",
    project: "node-test",
    files: {
      ...gone("test"),
      "test/a.test.js": `import { test } from "node:test";\n\ntest("kills", () => { ${kill}; });\n`,
    },
    expected: { outcome: "failed", counts: [0, 1, 0], failures: ["test/a.test.js:1 test/a.test.js"] },
  },
  {
    name: "pytest-crash",
    runner: "pytest",
    project: "pytest",
    files: {
      ...gone("tests/test_broken.py"),
      "tests/test_add.py": "import os\n\n\ndef test_kills():\n    os.kill(os.getpid(), 9)\n",
    },
    expected: { outcome: "crashed", message: /SIGKILL|left no report/ },
  },
  {
    name: "go-crash",
    runner: "go",
    project: "go",
    files: {
      ...gone("broken", "crash"),
      "add_test.go":
        'package adding\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) {}\n\nfunc TestKills(t *testing.T) { os.Exit(3) }\n',
    },
    expected: { outcome: "crashed", counts: [1, 1, 0], message: /stops before its end/ },
  },
  {
    name: "cargo-crash",
    runner: "cargo",
    project: "cargo",
    files: { ...gone("tests"), "src/lib.rs": "#[test]\nfn kills() {\n    std::process::abort()\n}\n" },
    expected: { outcome: "crashed", message: /SIGABRT/ },
  },
];

export const runnerCases: readonly RunnerCase[] = [
  ...failures,
  ...passing,
  ...noTests,
  ...configErrors,
  ...crashes,
];
