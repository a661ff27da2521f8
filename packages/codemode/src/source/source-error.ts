/** Why a script cannot be read, in the script's own positions. Plain data: it crosses process boundaries. */
export interface SourceError {
  readonly name: string;
  readonly message: string;
  /** 1-based line of the script as it was handed in. */
  readonly line?: number;
  /** 1-based column, in UTF-16 units. */
  readonly column?: number;
  /** The text of that line, cut to {@link MAX_LINE_TEXT} characters. */
  readonly lineText?: string;
}

/** Longest source line that an error shows. */
export const MAX_LINE_TEXT = 200;

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g;

/** The text of a 1-based line; the empty string when there is no such line. */
export function lineAt(source: string, line: number): string {
  let start = 0;
  let current = 1;
  LINE_BREAK.lastIndex = 0;
  for (let match = LINE_BREAK.exec(source); match !== null; match = LINE_BREAK.exec(source)) {
    if (current === line) return source.slice(start, match.index);
    current++;
    start = match.index + match[0].length;
  }
  return current === line ? source.slice(start) : "";
}

/** An error at a place of the script, with the text of its line. `column` is 1-based. */
export function sourceError(
  source: string,
  name: string,
  message: string,
  at?: { readonly line: number; readonly column: number },
): SourceError {
  if (at === undefined) return { name, message };
  const text = lineAt(source, at.line);
  return {
    name,
    message,
    line: at.line,
    column: at.column,
    ...(text === ""
      ? {}
      : { lineText: text.length > MAX_LINE_TEXT ? `${text.slice(0, MAX_LINE_TEXT)}…` : text }),
  };
}
