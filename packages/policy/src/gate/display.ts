/** Longest line that a prompt shows before its middle is left out. */
export const MAX_SHOWN_CHARS = 2_000;
/** Most lines of one call that a prompt shows. */
export const MAX_SHOWN_LINES = 40;

// Everything that a terminal obeys, hides, reorders or draws as nothing. A plain space is the only blank that stays.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}]|[^\S ]/gu;

/** Spells out control, format, bidirectional and invisible characters: `\u{1b}`. The result is one safe line. */
export function escapeForDisplay(text: string): string {
  return text.replace(UNSAFE, (char) => {
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    if (char === "\r") return "\\r";
    return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

/** Escapes, and leaves out the middle of what is too long, saying how long it really is. */
export function shorten(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  if (text.length <= maxChars) return escapeForDisplay(text);
  const half = Math.floor(maxChars / 2);
  const head = escapeForDisplay(text.slice(0, half));
  const tail = escapeForDisplay(text.slice(text.length - half));
  return `${head} […${text.length - 2 * half} of ${text.length} characters not shown…] ${tail}`;
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
