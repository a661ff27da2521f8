/** Longest text of a call that a message repeats, in characters. */
export const MAX_SHOWN_CHARS = 400;

// Control, format (bidirectional marks and isolates among them), surrogate, private-use and unassigned characters, those
// that a screen may leave out (variation selectors, fillers), and separators that only look like a space or a line end.
const hidden =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/gu;
const plainAscii = /^[ -~]*$/;
// More marks on one letter than any language writes: they would be drawn over the lines above and below.
const stacked = /(?<=\p{M}{4})\p{M}+/gu;

/**
 * A text as a person can safely read it: control and format characters are spelled out, so that nothing on the
 * screen is moved, hidden or reordered. Cut in the middle, with the real length, beyond `maxChars`.
 */
export function showText(text: string, maxChars: number = MAX_SHOWN_CHARS): string {
  const cut = text.length <= maxChars ? text : cutMiddle(text, maxChars);
  // Most texts hold nothing to spell out, and every part of every decision is shown.
  if (plainAscii.test(cut)) return cut;
  return cut.replace(hidden, spell).replace(stacked, (marks) => marks.replace(/./gsu, spell));
}

/** Several lines of our own making, each with parts that are somebody else's: only line feeds stay what they are. */
export function showTextLines(text: string, maxChars: number): string {
  return text
    .split("\n")
    .map((line) => showText(line, maxChars))
    .join("\n");
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
