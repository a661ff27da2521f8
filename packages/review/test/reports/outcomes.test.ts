import { fileURLToPath } from "node:url";

import { describe, expect, test } from "vitest";

import { createLocator } from "../../src/node/locate.ts";
import type { Runner } from "../../src/node/runners/runner.ts";
import { readRun } from "../../src/node/run-suite.ts";
import { runners } from "../../src/node/runners/index.ts";
import { summarize } from "../../src/node/tools/failing-tests.ts";
import { runnerCases } from "../cases/cases.ts";
import { mismatches } from "../cases/check.ts";
import { readRecording, recordedFolder, recordedResult } from "../cases/recording.ts";

function runnerOf(name: Parameters<typeof runners.get>[0]): Runner {
  const found = runners.get(name);
  if (found === undefined) throw new Error(`no runner ${name}`);
  return found;
}

// contract A11
describe("a crash, no tests, a configuration error and failing tests are told apart", () => {
  // Before Rust 1.73 panics are written otherwise, and a test that should have panicked has no place.
  const older = runnerCases
    .filter(({ name }) => name === "cargo-failures")
    .map((runnerCase) => ({ ...runnerCase, recorded: "cargo-1.63-failures" }));

  test.each([...runnerCases.map((runnerCase) => ({ ...runnerCase, recorded: runnerCase.name })), ...older])(
    "$recorded, as it was recorded",
    async ({ recorded, ...runnerCase }) => {
      const recording = readRecording(recorded);
      // Where a runner's files are needed to read its report: the module's name for go.
      const folder = fileURLToPath(new URL(`../fixtures/projects/${runnerCase.project}`, import.meta.url));
      const { outcome, message, report } = await readRun(
        runnerOf(recording.runner),
        recordedResult(recording),
        {
          folder,
          report: recordedFolder(recording),
        },
      );
      const run = {
        runner: recording.runner,
        folder: ".",
        command: runnerCase.name,
        outcome,
        durationMs: 1,
        passed: report.passed,
        failed: report.failed,
        skipped: report.skipped,
        ...(message === undefined ? {} : { message }),
      };
      const summary = summarize([
        { run, failures: report.failures, locator: createLocator("/project", "/project") },
      ]);
      expect(mismatches(runnerCase, summary)).toEqual([]);
    },
  );

  test("a runner that did not end in time, or could not be started, is told as that", async () => {
    const recording = readRecording("vitest-failures");
    const context = { folder: "/project", report: recordedFolder({ ...recording, files: {} }) };
    const base = { ...recordedResult(recording), stdout: "", stderr: "", output: "" };
    const vitest = runnerOf("vitest");
    expect(await readRun(vitest, { ...base, kind: "timeout" }, context)).toMatchObject({
      outcome: "timed-out",
    });
    const missing = { ...base, kind: "failed-to-start", message: "spawn vitest ENOENT" } as const;
    expect(await readRun(vitest, missing, context)).toMatchObject({ outcome: "not-installed" });
    const shell = { ...base, kind: "exited", exitCode: 127, stderr: "sh: 1: vitest: not found" } as const;
    expect(await readRun(vitest, shell, context)).toMatchObject({ outcome: "not-installed" });
  });
});
