import { tokenizer } from "acorn";

export type TokenKind = "name" | "string" | "template" | "other";

/** One token of a script, comments left out. */
export interface Token {
  readonly kind: TokenKind;
  /** As it stands in the source; a keyword is a name. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The tokens of a script, JavaScript or TypeScript. What cannot be read ends the list: nothing is known of the rest, and
 * nothing is said about it.
 */
export function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  try {
    const reader = tokenizer(source, { ecmaVersion: "latest", sourceType: "script", allowHashBang: true });
    for (const { type, start, end } of reader) {
      const isWord = type.label === "name" || type.label === "privateId" || type.keyword !== undefined;
      const isText = type.label === "string" || type.label === "template";
      const kind = isWord ? "name" : isText ? (type.label as "string" | "template") : "other";
      tokens.push({ kind, text: source.slice(start, end), start, end });
    }
  } catch {
    // The reader throws at what no token can begin with.
  }
  return tokens;
}

const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["${", "}"],
]);

/** For each opening bracket, by its index, the index of the one that closes it; one that nothing closes has none. */
export function matchBrackets(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { text, kind }] of tokens.entries()) {
    if (kind !== "other") continue;
    if (CLOSERS.has(text)) open.push(index);
    else if (text === ")" || text === "]" || text === "}") {
      const last = open.pop();
      if (last === undefined || CLOSERS.get(tokens[last]?.text ?? "") !== text) return pairs;
      pairs.set(last, index);
    }
  }
  return pairs;
}

/** Whether a token assigns to what stands before it. */
export function isAssignment(token: Token | undefined): boolean {
  return (
    token?.kind === "other" && /^(?:(?:[-+*/%&|^]|\*\*|<<|>>>?|&&|\|\||\?\?)?=|\+\+|--)$/.test(token.text)
  );
}

/** Index of the token that starts at an offset, -1 when none does. */
export function tokenAt(tokens: readonly Token[], offset: number): number {
  let low = 0;
  let high = tokens.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { start } = tokens[middle] ?? { start: Number.NaN };
    if (start === offset) return middle;
    if (start < offset) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
