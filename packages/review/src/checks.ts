import { arr, bool, int, obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";

export const checkKinds = ["typecheck", "lint", "test"] as const;
export type CheckKind = (typeof checkKinds)[number];

/** How a step ended; `failed` is a non-zero exit code, which is data and no failure of the tool (contract A4). */
export const checkStatuses = ["passed", "failed", "timed-out", "crashed", "not-installed"] as const;
export type CheckStatus = (typeof checkStatuses)[number];

const problemSchema = obj({
  path: str({ description: "Project-relative path" }),
  line: int({ minimum: 0 }),
  column: opt(int({ minimum: 0 })),
  severity: oneOf(["error", "warning"]),
  code: opt(str({ description: "For example TS2322 or a lint rule" })),
  message: str(),
});

const stepSchema = obj({
  id: str({ description: "Unique in this result, for example typecheck or packages/a:test" }),
  kind: oneOf(checkKinds),
  folder: str({ description: "Project-relative folder" }),
  command: str(),
  ok: bool(),
  status: oneOf(checkStatuses),
  exitCode: opt(int()),
  signal: opt(str()),
  durationMs: int({ minimum: 0 }),
  output: str({ description: "Standard output and error in order, cut around a marker" }),
  truncated: bool(),
  fullOutputPath: opt(str({ description: "File with the complete output, when it was cut" })),
  fullOutputIncomplete: opt(bool({ description: "The output was longer than such a file may be" })),
  problems: arr(problemSchema, { description: "Places that the output names" }),
  problemsOmitted: int({ minimum: 0 }),
});

/** Structured content of `run_checks` (contract A5). */
export const checksSchema = obj({
  ok: bool({ description: "Every step that ran passed, and at least one ran" }),
  steps: arr(stepSchema),
  skipped: arr(obj({ kind: oneOf(checkKinds), reason: str() }), {
    description: "Kinds of checks that did not run, or not all of them, and why",
  }),
  notRun: opt(int({ minimum: 0, description: "Steps that were left out of this call" })),
});

export type ChecksReport = Static<typeof checksSchema>;
export type CheckStep = ChecksReport["steps"][number];
export type CheckProblem = CheckStep["problems"][number];
