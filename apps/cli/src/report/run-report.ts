import type { CallTrace, TraceCall } from "@nestbox/calls";
import type { ScriptOutcome } from "@nestbox/codemode";

import type { Answers } from "../compose/answers.ts";
import { dryRunLines, type WouldDeny } from "../compose/dry-run.ts";
import type { Streams } from "../output.ts";
import { colorsFor } from "./colors.ts";
import { callDuration, decisionLines, errorLines, outputText, treeLines, warningLines } from "./human.ts";
import { forTerminal } from "./safe-text.ts";
import { terminalColumns, wrapped } from "./width.ts";

export interface RunStory {
  readonly outcome: ScriptOutcome;
  readonly trace: CallTrace;
  /** What the script is called. */
  readonly name: string;
  readonly policyFiles: readonly string[];
  readonly answers: Pick<Answers, "of">;
  /** Of a dry run. */
  readonly wouldDeny?: readonly WouldDeny[];
  /** What to do about calls that were denied. */
  readonly hints: readonly string[];
}

/** How a run went, for a person: the story on standard error, the script's output and value on standard output. */
export function writeRunReport(story: RunStory, streams: Streams): void {
  const { outcome, trace, name, policyFiles, answers, hints } = story;
  const colors = colorsFor(streams.stderr, process.env);
  const policy = policyFiles.length === 0 ? "annotation default" : policyFiles.join(", ");
  const section = (title: string, lines: readonly string[]): void => {
    if (lines.length > 0)
      streams.stderr.write(`${colors.bold(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`);
  };
  // Of which two stand before every line of a section. A pipe keeps whole names.
  const terminal = terminalColumns(streams.stderr);
  const columns = terminal === undefined ? {} : { columns: terminal - 2 };
  const noteOf = (call: TraceCall): string => callDuration(call, answers.of(call.id));
  section(`Policy: ${policy}`, decisionLines(trace.calls, colors, answers.of));
  const dropped = trace.omitted === 0 ? [] : [colors.dim(`and ${trace.omitted} more calls`)];
  section(`Calls of ${name}`, [...treeLines(trace.calls, colors, { ...columns, noteOf }), ...dropped]);
  section(
    "Warnings",
    warningLines(outcome.warnings, columns.columns).map((line) => colors.yellow(line)),
  );
  section(colors.red("Script failed"), errorLines(outcome, name, colors, columns.columns));
  section(
    "What was denied, and what to do",
    // A rule is to be copied: it stays on its line.
    hints.flatMap((hint) => (hint.startsWith(" ") ? [hint] : wrapped("", hint, columns.columns))),
  );
  if (story.wouldDeny !== undefined)
    section(colors.yellow("Would have been denied"), dryRunLines(story.wouldDeny, colors));
  writeOutput(outcome, streams);
}

/** What a script printed and what it returned, on standard output. */
export function writeOutput(outcome: ScriptOutcome, streams: Pick<Streams, "stdout">): void {
  const printed = outputText(outcome.output);
  const write = (text: string): void =>
    void streams.stdout.write(`${forTerminal(text, streams.stdout.isTTY)}\n`);
  if (printed !== "") write(printed);
  if (outcome.ok && outcome.value !== undefined) {
    const { value } = outcome;
    write(typeof value === "string" ? value : JSON.stringify(value, null, 2));
  }
}
