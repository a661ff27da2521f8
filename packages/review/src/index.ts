export { reviewNamespace } from "./namespace.ts";
export type { CheckKind, CheckProblem, CheckStatus, CheckStep, ChecksReport } from "./checks.ts";
export type { DangersReport } from "./dangers.ts";
export type { DiffArea, DiffFile, DiffHunk, DiffReport } from "./diff.ts";
export type { FailingFile, FailuresReport, TestFailure, TestOutcome, TestRun } from "./failures.ts";
export type { Finding, MissingPart, ReviewPart, ReviewReport } from "./review.ts";
