import { limits } from "../limits.ts";

/** A place in a file, as a runner or a compiler wrote it. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column?: number | undefined;
}

const inParentheses = /\(((?:file:\/\/)?[^()\n]+):(\d+):(\d+)\)\s*$/;
const afterAt = /^\s*at (?:async )?((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()\n]*):(\d+):(\d+)\s*$/;
const python = /^\s*File "([^"]+)", line (\d+)/;
const plain = /((?:file:\/\/)?(?:[A-Za-z]:[\\/])?[^\s()"'<>|:,]+\.[A-Za-z]\w{0,4}):(\d+)(?::(\d+))?/;

/** The places that a stack trace names, first one first: V8, Python, Go, Rust and everything that writes `file:line`. */
export function stackPlaces(stack: string): readonly Place[] {
  const places: Place[] = [];
  for (const line of stack.slice(0, limits.stackChars).split("\n")) {
    if (line.length > 2_000) continue;
    const found = inParentheses.exec(line) ?? afterAt.exec(line) ?? python.exec(line) ?? plain.exec(line);
    if (found === null) continue;
    const [, file, row, column] = found;
    if (file === undefined || row === undefined || file.startsWith("node:")) continue;
    places.push({ file, line: Number(row), ...(column === undefined ? {} : { column: Number(column) }) });
  }
  return places;
}

/** The message of a thrown error's text: what stands before its first stack line. */
export function withoutStack(text: string): string {
  const lines = text.split("\n");
  const first = lines.findIndex((line) => /^\s+at /.test(line));
  return (first === -1 ? text : lines.slice(0, first).join("\n")).trim();
}
