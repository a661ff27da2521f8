import type { TraceCall } from "@nestbox/calls";
import type { OutputItem, ScriptOutcome } from "@nestbox/codemode";

import type { Colors } from "./colors.ts";
import { oneLine } from "./safe-text.ts";
import { displayWidth, padded } from "./width.ts";

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

/** Decisions, one line a call that was decided. */
export function decisionLines(calls: readonly TraceCall[], colors: Colors): string[] {
  return calls.flatMap(({ name, decision, children }) => {
    const paint = decision?.effect === "allow" ? colors.green : colors.red;
    const own =
      decision === undefined
        ? []
        : [
            `${paint(decision.effect.padEnd(5))} ${oneLine(name)}  ${colors.dim(`${decision.rule} (${decision.layer})`)}`,
          ];
    return [...own, ...decisionLines(children, colors)];
  });
}

export interface TreeOptions {
  /** What stands behind a call, for example how long it has been running. Default: its duration. */
  readonly noteOf?: (call: TraceCall) => string;
}

/** The call tree, drawn. */
export function treeLines(
  calls: readonly TraceCall[],
  colors: Colors,
  options: TreeOptions = {},
  indent = "",
): string[] {
  const noteOf = options.noteOf ?? ((call) => duration(call.durationMs));
  const width = Math.max(0, ...calls.map((call) => displayWidth(oneLine(call.name))));
  return calls.flatMap((call, index) => {
    const last = index === calls.length - 1;
    const paint = call.status === "ok" ? colors.green : call.status === "running" ? colors.dim : colors.red;
    const line = `${indent}${last ? "└─" : "├─"} ${padded(oneLine(call.name), width)}  ${paint(call.status.padEnd(9))} ${colors.dim(noteOf(call))}`;
    return [line.trimEnd(), ...treeLines(call.children, colors, options, `${indent}${last ? "   " : "│  "}`)];
  });
}

/** Lines of an error's message that are shown. */
const MAX_MESSAGE_LINES = 40;

/** An error as a person reads it: kind, name, message, place, the line itself. */
export function errorLines(outcome: ScriptOutcome, file: string, colors: Colors): string[] {
  if (outcome.ok) return [];
  const { error } = outcome;
  const place =
    error.line === undefined
      ? ""
      : ` at ${file}:${error.line}${error.column === undefined ? "" : `:${error.column}`}`;
  // A message may have lines of its own; every other control character stays spelled out.
  const [first = "", ...more] = error.message.slice(0, 2_000).split("\n");
  const lines = [
    colors.red(`${oneLine(error.name)}: ${oneLine(first, 2_000)}`),
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
