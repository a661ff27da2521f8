import { quoteWord } from "../rules/words.ts";

/** One word of a command pattern. */
export type PatternWord =
  | { readonly kind: "word"; readonly value: string }
  /** `*`: exactly one word. */
  | { readonly kind: "one" }
  /** `...` at the end: any further words, also none. */
  | { readonly kind: "rest" };

/** First word of a pattern for a command that gets its input from the one before it. */
export const FED = "|";

export type CommandPattern =
  | {
      readonly ok: true;
      readonly words: readonly PatternWord[];
      /** It is for the command behind a pipe, whatever flows through. */
      readonly fed: boolean;
    }
  | { readonly ok: false; readonly message: string };

const PLAIN_WORD = /^[A-Za-z0-9_@%+=:,./^~-]+$/;

/** Writes a word so that {@link parsePattern} reads exactly it. */
export function writeWord(value: string): string {
  if (PLAIN_WORD.test(value) && value !== "...") return value;
  return quoteWord(value);
}

/**
 * Reads a command pattern: words, single quotes around what is not plain, `*` for one word, a last `...` for any
 * further words, a first `|` where another command's output is the input. The program is always named in full.
 */
export function parsePattern(text: string): CommandPattern {
  const words: PatternWord[] = [];
  let word: string | undefined;
  let quoted = false;
  let inQuotes = false;
  const end = (): void => {
    if (word === undefined) return;
    if (!quoted && word === "*") words.push({ kind: "one" });
    else if (!quoted && word === "...") words.push({ kind: "rest" });
    else words.push({ kind: "word", value: word });
    word = undefined;
    quoted = false;
  };
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === "'") {
      inQuotes = !inQuotes;
      quoted = true;
      word ??= "";
    } else if (inQuotes) {
      word = (word ?? "") + char;
    } else if (char === "\\" && text.charAt(index + 1) === "'") {
      word = `${word ?? ""}'`;
      quoted = true;
      index += 1;
    } else if (/\s/.test(char)) {
      end();
    } else {
      word = (word ?? "") + char;
    }
  }
  if (inQuotes) return { ok: false, message: "the pattern has a quote that does not end" };
  end();
  const fed = words[0]?.kind === "word" && words[0].value === FED && text.trimStart().startsWith(FED);
  if (fed) words.shift();
  const first = words[0];
  if (first?.kind !== "word" || first.value === "")
    return { ok: false, message: "the pattern must name a program" };
  if (words.slice(0, -1).some((item) => item.kind === "rest")) {
    return { ok: false, message: "`...` stands only at the end of a pattern" };
  }
  return { ok: true, words, fed };
}
