import type { ReviewReport } from "../review.ts";

const maxFindings = 60;

/** What the model reads of `review_diff`. */
export function reviewText(report: ReviewReport): string {
  const lines = [report.summary];
  for (const finding of report.findings.slice(0, maxFindings)) {
    const line = finding.line === undefined ? "" : `:${finding.line}`;
    const where = finding.changedLine ? "changed line" : finding.inDiff ? "in the diff" : "outside the diff";
    const related = finding.related === undefined ? "" : ` through ${finding.related}`;
    lines.push(
      "",
      `- ${finding.severity} ${finding.file}${line} (${finding.kind}, ${where}${related}): ${finding.message}`,
    );
    lines.push(
      ...finding.evidence
        .split("\n")
        .slice(0, 12)
        .map((text) => `    ${text}`),
    );
  }
  const rest =
    report.findings.length - Math.min(report.findings.length, maxFindings) + report.findingsOmitted;
  if (rest > 0) lines.push("", `${rest} more findings are not shown.`);
  if (report.missing.length > 0) {
    lines.push(
      "",
      "Missing from this review:",
      ...report.missing.map((part) => `- ${part.part} (${part.reason}): ${part.message}`),
    );
  }
  return lines.join("\n");
}
