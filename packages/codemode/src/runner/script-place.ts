const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

/** The innermost frame that is a place of this script: code that it evaluates may call itself by the script's name. */
export function placeIn(
  code: string,
  frames: string,
): { readonly line: number; readonly column: number } | undefined {
  const lines = code.split(LINE_BREAK).length;
  for (const [, line, column] of frames.matchAll(/codemode\.js:(\d+):(\d+)\)?$/gm)) {
    if (Number(line) >= 1 && Number(line) <= lines) return { line: Number(line), column: Number(column) };
  }
  return undefined;
}

export function lineTextOf(code: string, line: number): string | undefined {
  const text = code.split(LINE_BREAK, line)[line - 1];
  return text === undefined || text === "" ? undefined : text.slice(0, 200);
}
