import stringWidth from "string-width";

import type { TextOutput } from "../output.ts";
import { oneLine } from "./safe-text.ts";

/** Where a stream has no width of its own, for example in a pipe. */
const PIPE_COLUMNS = 140;
/** What is never gone below: a few words are better than none. */
const LEAST_COLUMNS = 20;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Columns that a text takes in a terminal: two for a wide character, none for a colour. */
export const displayWidth = (text: string): number => stringWidth(text);

/** A text with spaces behind it, up to so many columns. */
export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

/** Columns that are left of a line when so many are used. */
export function room(stream: Pick<TextOutput, "columns">, used: number): number {
  return Math.max(LEAST_COLUMNS, (stream.columns ?? PIPE_COLUMNS) - used);
}

/** A text on one line, at most so many columns wide; an ellipsis says that something is missing. */
export function cut(text: string, columns: number): string {
  const line = oneLine(text, 10_000);
  if (displayWidth(line) <= columns) return line;
  let kept = "";
  let width = 0;
  for (const { segment } of graphemes.segment(line)) {
    width += displayWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

/**
 * A text behind a first prefix, broken between words where a terminal ends and continued behind spaces of the same width.
 * A word that is wider than what is left of a line, a path for example, stays whole and begins further to the left. A
 * pipe gets one line: `columns` is `undefined`.
 */
export function wrapped(prefix: string, text: string, columns: number | undefined): readonly string[] {
  const indent = " ".repeat(displayWidth(prefix));
  if (columns === undefined) return [`${prefix}${text}`];
  const most = Math.max(LEAST_COLUMNS, columns - indent.length);
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && displayWidth(line) + 1 + displayWidth(word) > most) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].flatMap((one, index) => {
    const before = index === 0 ? prefix : indent;
    const left = columns - displayWidth(one);
    if (left >= indent.length || left < 0 || indent === "") return [`${before}${one}`];
    const moved = `${" ".repeat(left)}${one}`;
    return index === 0 && prefix.trim() !== "" ? [prefix.trimEnd(), moved] : [moved];
  });
}

/** Columns of a terminal, `undefined` for a pipe. */
export function terminalColumns(stream: Pick<TextOutput, "isTTY" | "columns">): number | undefined {
  return stream.isTTY === true ? (stream.columns ?? 80) : undefined;
}
