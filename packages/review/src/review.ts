import { arr, bool, int, obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";

import { testOutcomes } from "./failures.ts";

export const reviewParts = ["collect_diff", "run_checks", "failing_tests", "dangerous_commands"] as const;
export type ReviewPart = (typeof reviewParts)[number];

const findingSchema = obj({
  kind: oneOf(["test", "typecheck", "lint", "check", "danger"]),
  severity: oneOf(["error", "warning", "info"]),
  file: str({ description: "Project-relative path, or the folder of the check" }),
  line: opt(int({ minimum: 0 })),
  message: str(),
  evidence: str({ description: "What the runner, the compiler or the diff says" }),
  inDiff: bool({ description: "The file, a place in its stack, or a file it loads was changed" }),
  changedLine: bool({ description: "The line itself was changed" }),
  related: opt(
    str({
      description:
        "The change that a failing test leads to: a place in its stack as path:line, or a file it loads",
    }),
  ),
  source: oneOf(reviewParts),
});

/** Structured content of `review_diff`. */
export const reviewSchema = obj({
  verdict: oneOf(["clean", "findings", "incomplete"], {
    description: "incomplete: no finding, but a part is missing",
  }),
  summary: str(),
  changed: arr(
    obj({
      path: str(),
      areas: arr(str()),
      added: opt(int({ minimum: 0 })),
      removed: opt(int({ minimum: 0 })),
    }),
  ),
  findings: arr(findingSchema, { description: "Those in the diff first, then by severity" }),
  findingsOmitted: int({ minimum: 0 }),
  checks: arr(obj({ id: str(), kind: str(), ok: bool(), status: str() })),
  tests: opt(obj({ outcome: oneOf(testOutcomes), passed: int(), failed: int(), skipped: int() })),
  missing: arr(
    obj({
      part: oneOf(reviewParts),
      reason: oneOf(["not-available", "denied", "failed", "cut", "skipped"]),
      message: str(),
    }),
    { description: "What this review lacks, and why" },
  ),
});

export type ReviewReport = Static<typeof reviewSchema>;
export type Finding = ReviewReport["findings"][number];
export type MissingPart = ReviewReport["missing"][number];
