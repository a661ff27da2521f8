import type { Theme } from "@earendil-works/pi-coding-agent";
import type { Static } from "@earendil-works/pi-schema";
import { compileSchema, shorten } from "@nestbox/tool";

import { checksSchema } from "../checks.ts";
import { dangersSchema } from "../dangers.ts";
import { diffSchema } from "../diff.ts";
import { failuresSchema } from "../failures.ts";
import { plainText } from "../reports/text.ts";
import { reviewSchema } from "../review.ts";

/** The two things of Pi's theme that the renderers use. */
export type Paint = Pick<Theme, "fg" | "bold">;

export interface View {
  readonly expanded: boolean;
  readonly paint: Paint;
}

/** Lines for what a tool has as details; `undefined` for details of another form, such as those of an older version. */
export type DrawDetails = (details: unknown, view: View) => readonly string[] | undefined;

const collapsedItems = 8;
const expandedItems = 200;
const lineChars = 300;

/** One line of text that came from a project or a model: no terminal sequences, no line feeds, not too long. */
export function oneLine(text: string, maxChars: number = lineChars): string {
  return shorten(plainText(text).replace(/\s+/g, " ").trim(), maxChars);
}

function drawer<const TSchema extends object>(
  schema: TSchema,
  draw: (report: Static<TSchema>, view: View) => readonly string[],
): DrawDetails {
  const compiled = compileSchema(schema);
  return (details, view) => {
    const checked = compiled.check(details);
    return checked.ok ? draw(checked.value, view) : undefined;
  };
}

/** As many items as the view has room for, and a line for the rest. */
function some<T>(
  items: readonly T[],
  { expanded, paint }: View,
  line: (item: T) => string,
): readonly string[] {
  const shown = items.slice(0, expanded ? expandedItems : collapsedItems);
  const rest = items.length - shown.length;
  return [...shown.map(line), ...(rest === 0 ? [] : [paint.fg("muted", `… ${rest} more`)])];
}

function mark(ok: boolean, paint: Paint): string {
  return ok ? paint.fg("success", "✓") : paint.fg("error", "✗");
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

export const drawChecks = drawer(checksSchema, (report, view) => {
  const { paint, expanded } = view;
  const lines: string[] = [];
  for (const step of report.steps) {
    const how =
      step.status === "passed"
        ? ""
        : ` ${step.status}${step.exitCode === undefined ? "" : ` (${step.exitCode})`}`;
    lines.push(
      `${mark(step.ok, paint)} ${oneLine(step.id)}${how} ${paint.fg("muted", `${oneLine(step.command)} ${seconds(step.durationMs)}`)}`,
    );
    lines.push(
      ...some(
        step.problems,
        view,
        (problem) =>
          `  ${paint.fg("muted", `${oneLine(problem.path)}:${problem.line}`)} ${oneLine(problem.message)}`,
      ),
    );
    if (expanded && !step.ok && step.problems.length === 0) {
      lines.push(
        ...some(step.output.trim().split("\n").slice(-expandedItems), view, (text) => `  ${oneLine(text)}`),
      );
    }
  }
  for (const { kind, reason } of report.skipped)
    lines.push(paint.fg("muted", `- ${kind}: ${oneLine(reason)}`));
  return lines;
});

export const drawFailures = drawer(failuresSchema, (report, view) => {
  const { paint, expanded } = view;
  const ok = report.outcome === "passed";
  const lines = [
    `${mark(ok, paint)} ${report.outcome}: ${report.passed} passed, ${report.failed} failed, ${report.skipped} skipped`,
    ...report.runs.flatMap((run) =>
      run.message === undefined ? [] : [`  ${paint.fg("warning", oneLine(run.message))}`],
    ),
  ];
  const failures = report.files.flatMap((file) => file.failures.map((failure) => ({ file, failure })));
  const drawn = some(failures, view, ({ file, failure }) => {
    const place = `${oneLine(file.path)}${failure.line === undefined ? "" : `:${failure.line}`}`;
    const message = expanded ? `\n    ${paint.fg("muted", oneLine(failure.message))}` : "";
    return `  ${paint.fg("error", "✗")} ${paint.fg("muted", place)} ${oneLine(failure.name)}${message}`;
  });
  return [...lines, ...drawn.flatMap((text) => text.split("\n"))];
});

export const drawDiff = drawer(diffSchema, (report, view) => {
  const { paint, expanded } = view;
  const files = some(report.files, view, (file) => {
    const size = file.binary
      ? paint.fg("muted", "binary")
      : `${paint.fg("toolDiffAdded", `+${file.added ?? "?"}`)} ${paint.fg("toolDiffRemoved", `-${file.removed ?? "?"}`)}`;
    return `${oneLine(file.path)} ${size} ${paint.fg("muted", [file.area, file.status].join(", "))}`;
  });
  const hunks = !expanded
    ? []
    : report.files
        .flatMap((file) => file.hunks.flatMap((hunk) => hunk.lines.map((text) => colored(text, paint))))
        .slice(0, expandedItems);
  return [
    `${report.total} changes${report.nextCursor === undefined ? "" : paint.fg("muted", " (first page)")}`,
    ...files,
    ...hunks,
  ];
});

function colored(text: string, paint: Paint): string {
  const line = shorten(plainText(text), lineChars);
  const color = text.startsWith("+")
    ? "toolDiffAdded"
    : text.startsWith("-")
      ? "toolDiffRemoved"
      : "toolDiffContext";
  return paint.fg(color, line);
}

export const drawDangers = drawer(dangersSchema, (report, view) => [
  `${report.total} entries`,
  ...some(report.entries, view, (entry) => {
    const color = entry.effect === "deny" ? "error" : "warning";
    return `${view.paint.fg(color, entry.effect)} ${oneLine(entry.id)} ${view.paint.fg("muted", oneLine(entry.title))}`;
  }),
]);

export const drawReview = drawer(reviewSchema, (report, view) => {
  const { paint, expanded } = view;
  const lines = [`${mark(report.verdict === "clean", paint)} ${oneLine(report.summary, 600)}`];
  const drawn = some(report.findings, view, (finding) => {
    const color =
      finding.severity === "error" ? "error" : finding.severity === "warning" ? "warning" : "muted";
    const place = `${oneLine(finding.file)}${finding.line === undefined ? "" : `:${finding.line}`}`;
    const evidence = expanded ? `\n    ${paint.fg("muted", oneLine(finding.evidence))}` : "";
    return `  ${paint.fg(color, finding.severity)} ${paint.fg("muted", place)} ${oneLine(finding.message)}${evidence}`;
  });
  lines.push(...drawn.flatMap((text) => text.split("\n")));
  for (const part of report.missing) {
    lines.push(paint.fg("warning", `  missing: ${part.part} (${part.reason}) ${oneLine(part.message)}`));
  }
  return lines;
});
