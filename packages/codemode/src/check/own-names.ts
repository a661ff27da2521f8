import { isAssignment, matchBrackets, type Token } from "./tokens.ts";

/** What a script does with names, as far as its tokens tell. */
export interface OwnNames {
  /** A name that may exist when the script gets there: assigned without a declaration, or asked for with `typeof`. */
  mayExist(name: string): boolean;
  /** A member that the script itself writes or spells out somewhere. */
  isOwnMember(name: string): boolean;
  /** Whether a variable is assigned again or its value is given other members. */
  isChanged(name: string): boolean;
  /** The index of the first token of a variable's initial value. */
  initialValue(name: string): number | undefined;
}

const CHANGING: ReadonlySet<string> = new Set("push unshift splice fill set add delete".split(" "));

export function ownNames(tokens: readonly Token[]): OwnNames {
  const existing = new Set<string>();
  const members = new Set<string>();
  const changed = new Set<string>();
  const declared = new Map<string, number>();
  const pairs = matchBrackets(tokens);
  const text = (index: number): string | undefined => tokens[index]?.text;
  const isMember = (index: number): boolean => text(index - 1) === "." || text(index - 1) === "?.";

  for (const [index, token] of tokens.entries()) {
    const before = text(index - 1);
    const after = text(index + 1);
    if (token.kind === "string") members.add(token.text.slice(1, -1));
    if (token.kind !== "name") continue;
    if (isMember(index)) {
      if (isAssignment(tokens[index + 1])) {
        members.add(token.text);
        if (text(index - 2) === "globalThis") existing.add(token.text);
      }
      continue;
    }
    if (after === ":" || before === "{" || before === ",") members.add(token.text);
    if (before === "typeof" || before === "function") existing.add(token.text);
    const isDeclaration = before === "const" || before === "let" || before === "var";
    if (after === "=" && !isDeclaration && !isTypePlace(before)) existing.add(token.text);
    if ((after === "of" || after === "in") && before === "(") existing.add(token.text);
    if (isDeclaration && after === "=") {
      if (declared.has(token.text)) changed.add(token.text);
      declared.set(token.text, index + 2);
    } else if (isChanged(tokens, pairs, index)) changed.add(token.text);
  }
  // `[a, b] = pair`, `({ a, b: c } = object)`: a pattern makes what it names.
  for (const [open, close] of pairs) {
    if (text(close + 1) !== "=") continue;
    for (let index = open + 1; index < close; index++) {
      const token = tokens[index];
      if (token?.kind === "name" && !isMember(index)) existing.add(token.text);
    }
  }
  return {
    mayExist: (name) => existing.has(name),
    isOwnMember: (name) => members.has(name),
    isChanged: (name) => changed.has(name),
    initialValue: (name) => declared.get(name),
  };
}

/** `const a: Type = …`, which assigns to `a`. */
function isTypePlace(before: string | undefined): boolean {
  return before === ":" || before === "|" || before === "&";
}

/** Whether the variable at a token is assigned, gets a member or is handed to what gives it some. */
function isChanged(tokens: readonly Token[], pairs: ReadonlyMap<number, number>, index: number): boolean {
  const text = (at: number): string | undefined => tokens[at]?.text;
  if (text(index - 1) === "++" || text(index - 1) === "--") return true;
  // `Object.assign(x, …)`, `Object.defineProperty(x, …)`, `Reflect.set(x, …)`
  if (
    text(index - 1) === "(" &&
    text(index - 3) === "." &&
    /^(?:Object|Reflect)$/.test(text(index - 4) ?? "")
  ) {
    return /^(?:assign|define|set)/.test(text(index - 2) ?? "");
  }
  // `(x as any).a = 1`, `x!.a = 1`
  let at = index + 1;
  if (text(at) === "as" || text(at) === "!") return true;
  for (;;) {
    if (text(at) === "." || text(at) === "?.") {
      if (CHANGING.has(text(at + 1) ?? "") && text(at + 2) === "(") return true;
      at += 2;
    } else if (text(at) === "[") {
      const close = pairs.get(at);
      if (close === undefined) return false;
      at = close + 1;
    } else return isAssignment(tokens[at]);
  }
}
