/** Replaces `source[start, end)` by `text`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** On a line of the script, everything from `column` (1-based, as the engine reports it) sits `by` columns too far right. */
export interface ColumnShift {
  readonly line: number;
  readonly column: number;
  readonly by: number;
}

/** Applies edits that do not overlap. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start);
  let result = "";
  let position = 0;
  for (const edit of ordered) {
    result += source.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  return result + source.slice(position);
}

/** Line and column (both 1-based) of an offset. */
export function positionAt(source: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (const match of source.slice(0, offset).matchAll(/\r\n|[\n\r\u2028\u2029]/g)) {
    line++;
    start = match.index + match[0].length;
  }
  return { line, column: offset - start + 1 };
}

/** Spaces of the same width, line breaks kept, so that nothing behind them moves. */
export function blank(text: string): string {
  return text.replace(/[^\n\r\u2028\u2029]/g, " ");
}

/** A short name that the script does not use. */
export function freeName(source: string): string {
  let name = "_d";
  while (source.includes(name)) name += "_";
  return name;
}
