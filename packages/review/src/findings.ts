import type { DangerEntry } from "@nestbox/tool";

import type { ChecksReport } from "./checks.ts";
import type { DiffFile } from "./diff.ts";
import type { FailuresReport, TestFailure } from "./failures.ts";
import { limits } from "./limits.ts";
import { cutEnd } from "./reports/text.ts";
import type { Finding } from "./review.ts";

/** The changed lines of the new side, by project-relative path. */
export type ChangedLines = ReadonlyMap<string, ReadonlySet<number>>;

export function changedLines(files: readonly DiffFile[]): ChangedLines {
  const changed = new Map<string, Set<number>>();
  for (const file of files) {
    const lines = changed.get(file.path) ?? new Set<number>();
    changed.set(file.path, lines);
    for (const hunk of file.hunks) {
      let line = hunk.newStart;
      for (const text of hunk.lines) {
        if (text.startsWith("+")) lines.add(line);
        // Where lines were only taken away, the line that is there now is the place.
        else if (text.startsWith("-")) lines.add(Math.max(1, line));
        if (!text.startsWith("-") && !text.startsWith("\\")) line += 1;
      }
    }
  }
  return changed;
}

/**
 * A finding for each test that fails, mapped to the change: the test's own file, a place in its stack, or a file that
 * it loads.
 */
export function testFindings(report: FailuresReport, changed: ChangedLines): Finding[] {
  return report.files.flatMap((file) =>
    file.failures.map((failure): Finding => {
      const own = changed.get(file.path);
      const frame = failure.frames.find((place) => place.path !== file.path && changed.has(place.path));
      const related =
        frame === undefined ? file.imports?.find((path) => changed.has(path)) : `${frame.path}:${frame.line}`;
      return {
        kind: "test",
        severity: "error",
        file: file.path,
        ...(failure.line === undefined ? {} : { line: failure.line }),
        message: failure.kind === "load" ? `cannot be loaded: ${failure.name}` : `fails: ${failure.name}`,
        evidence: evidenceOf(failure),
        inDiff: own !== undefined || related !== undefined,
        changedLine: failure.frames.some((place) => changed.get(place.path)?.has(place.line) === true),
        ...(related === undefined ? {} : { related }),
        source: "failing_tests",
      };
    }),
  );
}

function evidenceOf(failure: TestFailure): string {
  const compared =
    failure.expected === undefined || failure.actual === undefined
      ? ""
      : `\nexpected ${failure.expected}\ngot ${failure.actual}`;
  return cutEnd(failure.message + compared, limits.messageBytes);
}

/** A finding for each place that a failed step names; one for the step itself when it names none. */
export function checkFindings(report: ChecksReport, changed: ChangedLines): Finding[] {
  return report.steps.flatMap((step): Finding[] => {
    if (step.ok) return [];
    const kind = step.kind === "test" ? "check" : step.kind;
    if (step.problems.length === 0 || step.kind === "test") {
      const evidence = cutEnd(step.output.trim().split("\n").slice(-20).join("\n"), limits.messageBytes);
      const message = `${step.id} ${step.status}${step.exitCode === undefined ? "" : ` with exit code ${step.exitCode}`}`;
      return [
        {
          kind: "check",
          severity: "error",
          file: step.folder,
          message,
          evidence,
          inDiff: false,
          changedLine: false,
          source: "run_checks",
        },
      ];
    }
    return step.problems.map((problem) => ({
      kind,
      severity: problem.severity,
      file: problem.path,
      line: problem.line,
      message: problem.code === undefined ? problem.message : `${problem.code}: ${problem.message}`,
      evidence: `${problem.path}:${problem.line}${problem.column === undefined ? "" : `:${problem.column}`} (${step.command})`,
      inDiff: changed.has(problem.path),
      changedLine: changed.get(problem.path)?.has(problem.line) === true,
      source: "run_checks",
    }));
  });
}

/** A finding for each added line that contains one of the policy's examples word for word. */
export function dangerFindings(
  entries: readonly Pick<DangerEntry, "id" | "effect" | "title" | "examples">[],
  files: readonly DiffFile[],
): Finding[] {
  const findings: Finding[] = [];
  // One word alone, such as a program's name, would be found in every other line.
  const examples = entries.flatMap((entry) =>
    entry.examples.filter((example) => /\S\s+\S/.test(example)).map((example) => ({ entry, example })),
  );
  for (const file of files) {
    for (const hunk of file.hunks) {
      let line = hunk.newStart;
      for (const text of hunk.lines) {
        if (text.startsWith("+")) {
          const found = examples.find(({ example }) => text.includes(example));
          if (found !== undefined) {
            findings.push({
              kind: "danger",
              severity: found.entry.effect === "deny" ? "warning" : "info",
              file: file.path,
              line,
              message: `adds what the policy holds dangerous (${found.entry.id}): ${found.entry.title}`,
              evidence: cutEnd(text.slice(1).trim(), limits.messageBytes),
              inDiff: true,
              changedLine: true,
              source: "dangerous_commands",
            });
          }
        }
        if (!text.startsWith("-") && !text.startsWith("\\")) line += 1;
      }
    }
  }
  return findings;
}

const severities = ["error", "warning", "info"];

/** Changed lines first, then changed files, then by severity and place. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding): number =>
    (finding.changedLine ? 0 : finding.inDiff ? 10 : 20) + severities.indexOf(finding.severity);
  return findings.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.line ?? 0) - (b.line ?? 0)),
  );
}
