/** Longest text of a call that a message repeats, in characters. */
export const MAX_SHOWN_CHARS = 400;

// Control, format (bidirectional marks and isolates among them), surrogate and private-use characters, and the
// separators that only look like a space or a line end.
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u115f\u1160\u3164\uffa0]/gu;

/**
 * A text as a person can safely read it: control and format characters are spelled out, so that nothing on the
 * screen is moved, hidden or reordered. Cut in the middle, with the real length, beyond `maxChars`.
 */
export function showText(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  const cut = text.length <= maxChars ? text : cutMiddle(text, maxChars);
  return cut.replace(hidden, spell);
}

function cutMiddle(text: string, maxChars: number): string {
  const half = Math.floor(maxChars / 2);
  return `${text.slice(0, half)}…[${text.length - 2 * half} of ${text.length} characters left out]…${text.slice(-half)}`;
}

function spell(char: string): string {
  if (char === "\n") return "\\n";
  if (char === "\r") return "\\r";
  if (char === "\t") return "\\t";
  const code = char.codePointAt(0) ?? 0;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
