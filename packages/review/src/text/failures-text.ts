import type { FailuresReport, FailingFile, TestRun } from "../failures.ts";
import { cutMiddle } from "../reports/text.ts";
import { shares } from "../shares.ts";
import { outputFileLines } from "./output-file.ts";

const maxFailureBytes = 700;
const maxListed = 50;

/** What the model reads of `failing_tests`: the verdict, the runs, then the failures by file. */
export function failuresText(report: FailuresReport): string {
  const lines = [
    `${report.outcome}: ${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`,
    ...report.runs.map(runLine),
  ];
  if (report.notRun !== undefined)
    lines.push(`${report.notRun} more test runs were left out. Call again with the path of a package.`);
  const listed = shares(
    report.files.map(({ failures }) => failures.length),
    maxListed,
  );
  for (const [index, file] of report.files.entries()) {
    lines.push("", `## ${file.path}: ${file.failed} failed`);
    lines.push(...failureLines(file, listed[index] ?? 0));
  }
  if (report.omitted > 0) lines.push("", `${report.omitted} more failures are counted but not listed.`);
  for (const run of report.runs) {
    if (run.outputTail === undefined || run.outputTail === "") continue;
    lines.push("", `## End of the output of ${run.command}`, run.outputTail);
    lines.push(...outputFileLines(run));
  }
  return lines.join("\n");
}

function runLine(run: TestRun): string {
  const where = run.folder === "." ? "" : ` in ${run.folder}`;
  const code = run.exitCode === undefined ? (run.signal ?? "") : `exit code ${run.exitCode}`;
  const detail = [code, `${(run.durationMs / 1000).toFixed(1)} s`].filter((part) => part !== "").join(", ");
  const said = [run.message, run.note].filter((part) => part !== undefined).join("; ");
  return `- ${run.command}${where} (${run.runner}): ${run.outcome}, ${detail}${said === "" ? "" : `: ${said}`}`;
}

function failureLines(file: FailingFile, left: number): string[] {
  const lines = file.failures.slice(0, left).map((failure) => {
    const line = failure.line === undefined ? "" : `:${failure.line}`;
    const message = cutMiddle(failure.message, maxFailureBytes).text.replaceAll("\n", "\n    ");
    const compared =
      failure.expected === undefined || failure.actual === undefined || failure.expected.includes("\n")
        ? ""
        : `\n    expected ${failure.expected}, got ${failure.actual}`;
    return `- ${file.path}${line} ${failure.name}\n    ${message}${compared}`;
  });
  const rest = file.failures.length - lines.length;
  return rest > 0 ? [...lines, `(${rest} more in the structured content)`] : lines;
}
