/**
 * Holds that the last lines of a test run, and of `.ci/run`, name what did not pass. The reports are made up, and
 * the commands that `.ci/run` would start are replaced by ones that fail: `node --test scripts/check-summary.ts`.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { shown, summarize } from "./test/summary.ts";

interface FakeTest {
  readonly title: string;
  readonly status: string;
  readonly message?: string;
}

const file = (name: string, tests: readonly FakeTest[], status = "passed", message = "") => ({
  name: `/root/${name}`,
  status: tests.some((entry) => entry.status === "failed") ? "failed" : status,
  message,
  assertionResults: tests.map((entry) => ({
    ancestorTitles: ["", "the gate"],
    title: entry.title,
    status: entry.status,
    failureMessages: entry.message === undefined ? [] : [entry.message],
  })),
});
const report = (...files: readonly object[]) => JSON.stringify({ testResults: files });

void test("each failed test is named with its package, file, full title and the first line of its message", () => {
  const summary = summarize(
    [
      {
        member: "packages/policy",
        report: report(
          file("packages/policy/test/gate.test.ts", [
            { title: "denies", status: "passed" },
            {
              title: "asks",
              status: "failed",
              message: "\u001B[31mAssertionError: expected 1\u0007 to be 2\u001B[39m\n    at x.ts:1",
            },
            { title: "tells", status: "skipped" },
            { title: "waits", status: "todo" },
          ]),
          file("packages/policy/test/broken.test.ts", [], "failed", "Cannot find module './gone.ts'"),
          file(
            "packages/policy/test/hook.test.ts",
            [{ title: "ran", status: "passed" }],
            "failed",
            "afterAll threw",
          ),
        ),
      },
      { member: "packages/calls", report: undefined },
      { member: "packages/tool", report: '{"testRes' },
      { member: "packages/mcp", report: report(file("packages/mcp/test/a.test.ts", [])) },
    ],
    { root: "/root" },
  );
  assert.deepEqual(summary.lines, [
    "FAILED packages/policy/test/gate.test.ts > the gate > asks: AssertionError: expected 1  to be 2",
    "FAILED packages/policy/test/broken.test.ts: Cannot find module './gone.ts'",
    "FAILED packages/policy/test/hook.test.ts: afterAll threw",
    "NO REPORT packages/calls: its tests left none that can be read",
    "NO REPORT packages/tool: its tests left none that can be read",
    "SKIPPED packages/policy/test/gate.test.ts > the gate > tells",
    "SKIPPED packages/policy/test/gate.test.ts > the gate > waits",
  ]);
  assert.deepEqual([summary.passed, summary.failed, summary.skipped], [2, 5, 2]);
});

void test("a log shows 200 of them and says how many more there are", () => {
  const lines = Array.from({ length: 203 }, (_, at) => `FAILED ${at}`);
  assert.deepEqual(shown(lines).slice(198), ["FAILED 198", "FAILED 199", "… and 3 more"]);
  assert.equal(shown(lines.slice(0, 200)).length, 200);
});

void test(".ci/run names every failed check and test right before its last line", () => {
  const folder = mkdtempSync(join(tmpdir(), "nestbox-summary-"));
  try {
    // Stands for `npx -y pnpm@12 …`: the tests have one failure, the live tests end without a count, lint fails.
    writeFileSync(
      join(folder, "npx"),
      `#!/bin/sh
case "$*" in
  *"pnpm@12 test") printf 'p:test: ::: not passed\\n::: not passed\\nFAILED a > b: c\\nSKIPPED a > d\\n7 passed, 2 failed\\n'; exit 1 ;;
  *test:packed) printf '3 passed, 0 failed\\n' ;;
  *test:live) echo 'no runner'; exit 3 ;;
  *lint) echo 'one finding'; exit 1 ;;
esac
`,
      { mode: 0o755 },
    );
    // Stands for the script that installs the runners of the live tests.
    writeFileSync(join(folder, "bash"), "#!/bin/sh\n", { mode: 0o755 });
    const { stdout, status } = spawnSync(
      "/bin/bash",
      [fileURLToPath(new URL("../.ci/run", import.meta.url))],
      { encoding: "utf8", env: { ...process.env, PATH: `${folder}:${process.env["PATH"]}` } },
    );
    const lines = stdout.trimEnd().split("\n");
    const passed = Number(/^(\d+) passed, 4 failed$/u.exec(lines.at(-1) ?? "")?.[1]);
    assert.ok(passed > 10, stdout);
    assert.deepEqual(lines.slice(-6, -1), [
      "::: not passed",
      "FAILED a > b: c",
      "SKIPPED a > d",
      "FAILED lint",
      "FAILED live tests of the review tools (exit code 3)",
    ]);
    assert.equal(status, 1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
