import { arr, bool, int, obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";

/**
 * How one run of a test runner ended.
 *
 * - `no-tests`: it ran and found none.
 * - `config-error`: its configuration or its command line is wrong.
 * - `crashed`: it ended before its report was complete, or failed although no test did.
 * - `timed-out`: it did not end in time; what it had reported until then is kept.
 * - `not-installed`: the runner's program is not there.
 * - `unreadable`: it ran, but there is no report that is understood; `exitCode` tells success.
 */
export const testOutcomes = [
  "passed",
  "failed",
  "no-tests",
  "config-error",
  "crashed",
  "timed-out",
  "not-installed",
  "unreadable",
] as const;
export type TestOutcome = (typeof testOutcomes)[number];

const count = (description: string) => int({ minimum: 0, description });
const place = obj({ path: str({ description: "Project-relative path" }), line: int({ minimum: 0 }) });

const failureSchema = obj({
  name: str({ description: "Suites and test, joined with ' > '" }),
  kind: oneOf(["assertion", "error", "load"], { description: "load: the file could not be loaded or built" }),
  message: str(),
  expected: opt(str()),
  actual: opt(str()),
  line: opt(int({ minimum: 0, description: "1-based line in the file of the group" })),
  column: opt(int({ minimum: 0 })),
  frames: arr(place, { description: "Places of the project in the stack, innermost first" }),
});

const runSchema = obj({
  runner: str({
    description: "vitest, jest, node:test, mocha, playwright, bun, pytest, go, cargo, tap, junit, unknown",
  }),
  folder: str({ description: "Project-relative folder that it ran in" }),
  command: str(),
  outcome: oneOf(testOutcomes),
  exitCode: opt(int()),
  signal: opt(str()),
  durationMs: count("Milliseconds"),
  passed: count("Tests that passed"),
  failed: count("Tests that failed, files that could not be loaded included"),
  skipped: count("Tests that were skipped or are still to do"),
  message: opt(str({ description: "Why the outcome is neither passed nor failed" })),
  outputTail: opt(str({ description: "The end of the output, when no report explains it" })),
  fullOutputPath: opt(str({ description: "File with the complete output, when it was cut" })),
  fullOutputIncomplete: opt(bool({ description: "The output was longer than such a file may be" })),
  note: opt(str()),
});

/** Structured content of `failing_tests` (contract A11). */
export const failuresSchema = obj({
  outcome: oneOf(testOutcomes, { description: "The worst outcome of the runs" }),
  runs: arr(runSchema),
  files: arr(
    obj({
      path: str({ description: "Project-relative path" }),
      failed: count("Failures in this file"),
      names: arr(str()),
      failures: arr(failureSchema),
      imports: opt(
        arr(str(), { description: "Project files that this file loads, directly or not, nearest first" }),
      ),
    }),
  ),
  passed: count("Tests that passed"),
  failed: count("Tests that failed"),
  skipped: count("Tests that were skipped"),
  omitted: count("Failures that are counted but not listed"),
  notRun: opt(count("Test runs that were left out of this call: give a path to run them")),
});

export type FailuresReport = Static<typeof failuresSchema>;
export type FailingFile = FailuresReport["files"][number];
export type TestFailure = FailingFile["failures"][number];
export type TestRun = FailuresReport["runs"][number];

const severity: readonly TestOutcome[] = [
  "no-tests",
  "passed",
  "unreadable",
  "not-installed",
  "config-error",
  "timed-out",
  "crashed",
  "failed",
];

/** The outcome that decides over several runs. */
export function worstOutcome(outcomes: readonly TestOutcome[]): TestOutcome {
  return outcomes.reduce<TestOutcome>(
    (worst, outcome) => (severity.indexOf(outcome) > severity.indexOf(worst) ? outcome : worst),
    "no-tests",
  );
}
