/** How a run of the fleet ended, as `nestbox run` tells it of its own. */
import type { ScriptOutcome } from "@nestbox/codemode";

import type { Streams } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { errorLines } from "../report/human.ts";
import { runReport, type RunReport } from "../report/json.ts";
import { writeOutput } from "../report/run-report.ts";
import { oneLine } from "../report/safe-text.ts";
import { terminalColumns, wrapped } from "../report/width.ts";

export function outcomeJson(outcome: ScriptOutcome): RunReport {
  // Who answered stands in the run's journal, not with its end.
  return runReport(outcome, { of: () => undefined });
}

/** Warnings and the error on standard error, output and value on standard output. */
export function writeOutcome(outcome: ScriptOutcome, runId: string, streams: Streams): void {
  const colors = colorsFor(streams.stderr, process.env);
  const terminal = terminalColumns(streams.stderr);
  const columns = terminal === undefined ? undefined : terminal - 2;
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0)
      streams.stderr.write(`${colors.bold(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`);
  };
  section(
    "Warnings",
    outcome.warnings.flatMap(({ message }) =>
      wrapped("", oneLine(message, 2_000), columns).map((line) => colors.yellow(line)),
    ),
  );
  section(colors.red("Script failed"), errorLines(outcome, oneLine(runId), colors, columns));
  writeOutput(outcome, streams);
}
