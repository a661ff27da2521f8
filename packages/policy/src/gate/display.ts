import { showText } from "../explain/escape.ts";

/** Longest line that a prompt shows before its middle is left out. */
export const MAX_SHOWN_CHARS = 2_000;
/** Most lines of one call that a prompt shows. */
export const MAX_SHOWN_LINES = 40;

/** One safe line: escaped, and the middle of what is too long left out, saying how long it really is. */
export function shorten(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  return showText(text, maxChars);
}

/** Several lines for a prompt: each escaped and shortened, and no more of them than a person can read. */
export function showLines(lines: readonly string[], maxLines: number = MAX_SHOWN_LINES): readonly string[] {
  if (lines.length <= maxLines) return lines.map((line) => shorten(line));
  const half = Math.floor(maxLines / 2);
  return [
    ...lines.slice(0, half).map((line) => shorten(line)),
    `[…${lines.length - 2 * half} of ${lines.length} lines not shown…]`,
    ...lines.slice(lines.length - half).map((line) => shorten(line)),
  ];
}
