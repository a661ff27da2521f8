import type { ToolNamespace } from "@nestbox/tool";

/** The group that the five review tools belong to (contract A3, A21, A24). */
export const reviewNamespace = {
  name: "review",
  description:
    "Review a change: review_diff reports on it as a whole; run_checks, failing_tests, collect_diff and dangerous_commands are its parts.",
  instructions: [
    "Call review_diff before you report on a diff. It runs the project's own checks, finds the failing tests, collects the diff and maps one to the other.",
    "Do not substitute a command of your own: these tools know the project's package manager and test runner, and return data instead of text to read.",
    "Use run_checks alone to know whether the type check, the linter and the tests pass, and failing_tests alone to know which tests fail and where.",
    "Use collect_diff when you need the changed lines themselves; follow nextCursor until it is absent. Use dangerous_commands before you propose a command that you are not sure about.",
    "A command that exits non-zero is a result, not a failure of the tool: read exitCode and outcome. A part that was denied or is not available is listed under missing: say so in your report, and do not work around it.",
  ].join("\n"),
} as const satisfies ToolNamespace;
