import type { TraceCall } from "@nestbox/calls";
import type { OutputItem, ScriptOutcome, ScriptWarning } from "@nestbox/codemode";

import type { PersonAnswer } from "../compose/answers.ts";
import type { Colors } from "./colors.ts";
import { oneLine } from "./safe-text.ts";
import { cut, displayWidth, padded, wrapped } from "./width.ts";

/** `1.24 s`, `87 ms`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return "";
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

/** `1 rule`, `2 rules`, `0 rules`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** What a script printed: text, then the console, as Pi orders them. */
export function outputText(items: readonly OutputItem[]): string {
  const text = items.flatMap((item) =>
    item.type === "text" ? [item.text] : item.type === "image" ? [`[image ${item.mimeType}]`] : [],
  );
  const lines = items.flatMap((item) => (item.type === "console" ? [item.text] : []));
  return [...text, ...lines].join("\n");
}

const ANSWERS: Readonly<Record<PersonAnswer, string>> = {
  once: "you, once",
  "this-run": "you, for this run",
  earlier: "you, earlier in this run",
  no: "you",
  stop: "you, and stopped the script",
  "no-earlier": "you, earlier in this run",
};

/** Decisions, by the person who was asked, else by the rule: one line for calls in a row that were decided alike. */
export function decisionLines(
  calls: readonly TraceCall[],
  colors: Colors,
  answerOf?: (callId: string) => PersonAnswer | undefined,
): string[] {
  const rows: { readonly line: string; times: number }[] = [];
  for (const line of eachDecision(calls, colors, answerOf)) {
    const before = rows.at(-1);
    if (before?.line === line) before.times += 1;
    else rows.push({ line, times: 1 });
  }
  return rows.map(({ line, times }) => (times === 1 ? line : `${line} ${colors.dim(`${times} times`)}`));
}

function eachDecision(
  calls: readonly TraceCall[],
  colors: Colors,
  answerOf: (callId: string) => PersonAnswer | undefined = () => undefined,
): string[] {
  return calls.flatMap(({ id, name, decision, children }) => {
    const answer = answerOf(id);
    const paint = decision?.effect === "allow" ? colors.green : colors.red;
    const own =
      decision === undefined
        ? []
        : [
            `${paint(decision.effect.padEnd(5))} ${oneLine(name)}  ${colors.dim(
              answer === undefined
                ? `${decision.rule} (${decision.layer})`
                : `${ANSWERS[answer]} (asked by ${decision.rule})`,
            )}`,
          ];
    return [...own, ...eachDecision(children, colors, answerOf)];
  });
}

/** How long a call took; the time in which a person thought about it stands apart. */
export function callDuration(
  { durationMs, runMs }: Pick<TraceCall, "durationMs" | "runMs">,
  answer: PersonAnswer | undefined,
): string {
  const asked = answer === "once" || answer === "this-run";
  return asked && durationMs !== undefined && runMs !== undefined
    ? `${duration(runMs)} (+${duration(durationMs - runMs)} asked)`
    : duration(durationMs);
}

export interface TreeOptions {
  /** What stands behind a call, for example how long it has been running. Default: its duration. */
  readonly noteOf?: (call: TraceCall) => string;
  /** Of the terminal: long names and notes are cut to them. Without it nothing is cut. */
  readonly columns?: number;
}

/** Columns of a status with the spaces around it, and of the note behind it that is always left room for. */
const STATUS_COLUMNS = 12;
const NOTE_COLUMNS = 12;
/** A name is never cut below this, however deep the call. */
const LEAST_NAME_COLUMNS = 12;

/** The call tree, drawn. */
export function treeLines(
  calls: readonly TraceCall[],
  colors: Colors,
  options: TreeOptions = {},
  indent = "",
): string[] {
  const { columns = Number.POSITIVE_INFINITY } = options;
  const noteOf = options.noteOf ?? ((call) => duration(call.durationMs));
  const start = indent.length + 3;
  const most = Math.max(LEAST_NAME_COLUMNS, columns - start - STATUS_COLUMNS - NOTE_COLUMNS);
  const names = calls.map(({ name }) => cut(name, most));
  const width = Math.max(0, ...names.map(displayWidth));
  const left = Math.max(NOTE_COLUMNS, columns - start - width - STATUS_COLUMNS);
  return calls.flatMap((call, index) => {
    const last = index === calls.length - 1;
    const paint = call.status === "ok" ? colors.green : call.status === "running" ? colors.dim : colors.red;
    const note = cut(noteOf(call), left);
    const line = `${indent}${last ? "└─" : "├─"} ${padded(names[index] ?? "", width)}  ${paint(call.status.padEnd(9))} ${colors.dim(note)}`;
    return [line.trimEnd(), ...treeLines(call.children, colors, options, `${indent}${last ? "   " : "│  "}`)];
  });
}

/** Warnings of a script, whole: a message may have lines of its own. */
export function warningLines(warnings: readonly ScriptWarning[], columns?: number): string[] {
  return warnings.flatMap(({ kind, message }) => {
    // All that it has of a promise that nobody holds is what that was rejected with.
    const what =
      kind === "unhandled-rejection" && !message.startsWith("A callback threw")
        ? "A promise was rejected, and nobody awaited it: "
        : "";
    const [first = "", ...more] = message.slice(0, 2_000).split("\n");
    return [
      ...wrapped("", `${what}${oneLine(first, 2_000)}`, columns),
      ...more.slice(0, MAX_MESSAGE_LINES).map((line) => `  ${oneLine(line, 2_000)}`),
    ];
  });
}

/** Lines of an error's or a warning's message that are shown. */
const MAX_MESSAGE_LINES = 40;

/** An error as a person reads it: kind, name, message, place, the line itself. */
export function errorLines(outcome: ScriptOutcome, file: string, colors: Colors, columns?: number): string[] {
  if (outcome.ok) return [];
  const { error } = outcome;
  const place =
    error.line === undefined
      ? ""
      : ` at ${file}:${error.line}${error.column === undefined ? "" : `:${error.column}`}`;
  // A message may have lines of its own; every other control character stays spelled out.
  const [first = "", ...more] = error.message.slice(0, 2_000).split("\n");
  const head = wrapped("", `${oneLine(error.name)}: ${oneLine(first, 2_000)}`, columns);
  const lines = [
    ...head.map((line) => colors.red(line)),
    ...more.slice(0, MAX_MESSAGE_LINES).map((line) => colors.red(`  ${oneLine(line, 2_000)}`)),
    colors.dim(`${error.kind} error${place}`),
  ];
  if (error.lineText !== undefined) lines.push(...pointed(error.lineText, error.column));
  return lines;
}

/** A line of the script with a caret under the column. */
export function pointed(lineText: string, column: number | undefined): string[] {
  const line = `  ${lineText.replaceAll("\t", " ")}`;
  return column === undefined
    ? [oneLine(line)]
    : [
        oneLine(line),
        `${" ".repeat(2 + displayWidth(oneLine(lineText.replaceAll("\t", " ").slice(0, column - 1), 2_000)))}^`,
      ];
}
