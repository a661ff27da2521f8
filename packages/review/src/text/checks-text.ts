import type { ChecksReport, CheckStep } from "../checks.ts";
import { limits } from "../limits.ts";
import { cutMiddle } from "../reports/text.ts";
import { outputFileLines } from "./output-file.ts";

const maxProblems = 20;

/** What the model reads of `run_checks`: a line a step, then the problems or the output of those that failed. */
export function checksText(report: ChecksReport): string {
  const lines = report.steps.map(stepLine);
  if (report.steps.length === 0) lines.push("No checks were found or wanted.");
  for (const { kind, reason } of report.skipped) lines.push(`- ${kind}: not run, ${reason}`);
  for (const step of report.steps) {
    if (step.ok) continue;
    lines.push("", `## ${step.id} (${step.command})`);
    if (step.problems.length > 0) lines.push(...problemLines(step));
    else lines.push(cutMiddle(step.output.trim() || "(no output)", limits.stepTextBytes, step).text);
    lines.push(...outputFileLines(step));
  }
  return lines.join("\n");
}

function stepLine(step: CheckStep): string {
  const how = step.exitCode === undefined ? (step.signal ?? step.status) : `exit code ${step.exitCode}`;
  return `- ${step.id}: ${step.status} (${how}, ${(step.durationMs / 1000).toFixed(1)} s)`;
}

function problemLines(step: CheckStep): string[] {
  const shown = step.problems.slice(0, maxProblems).map((problem) => {
    const column = problem.column === undefined ? "" : `:${problem.column}`;
    const code = problem.code === undefined ? "" : ` ${problem.code}`;
    return `${problem.path}:${problem.line}${column} ${problem.severity}${code}: ${problem.message}`;
  });
  const rest = step.problems.length - shown.length + step.problemsOmitted;
  return rest === 0 ? shown : [...shown, `(${rest} more)`];
}
