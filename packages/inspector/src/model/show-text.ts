// Control, format (bidirectional marks among them), lone surrogate and private-use characters, line and paragraph
// separators, and fillers that look like nothing.
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** A stretch of a text: as it is, or the escape of one character that would not be seen or would move others. */
export interface TextPiece {
  readonly kind: "text" | "escape";
  readonly text: string;
}

export interface ShowOptions {
  /** Line feeds and tabs stay what they are. */
  readonly multiline?: boolean;
}

/** A text as it can be read safely: nothing in it hides, reorders or moves what stands beside it. */
export function showText(text: string, { multiline = false }: ShowOptions = {}): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(hidden)) {
    const char = match[0];
    if (multiline && (char === "\n" || char === "\t")) continue;
    // A line end of Windows is one line end.
    if (multiline && char === "\r" && text[match.index + 1] === "\n") {
      if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
      from = match.index + 1;
      continue;
    }
    if (match.index > from) pieces.push({ kind: "text", text: text.slice(from, match.index) });
    pieces.push({ kind: "escape", text: spell(char) });
    from = match.index + char.length;
  }
  if (from < text.length) pieces.push({ kind: "text", text: text.slice(from) });
  return pieces;
}

/** The beginning of a text, with a mark that it is not all of it; no character is halved. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const kept = text.slice(0, maxChars);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** The same as one string, for a title or a label. */
export function plainText(text: string): string {
  return showText(text)
    .map((piece) => piece.text)
    .join("");
}

function spell(char: string): string {
  if (char === "\n") return "\\n";
  if (char === "\r") return "\\r";
  if (char === "\t") return "\\t";
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
