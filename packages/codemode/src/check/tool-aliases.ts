import { matchBrackets, type Token } from "./tokens.ts";

/** Names that a script gives to `tools` and to tools, and to nothing else. */
export interface ToolAliases {
  /** Names of `tools` itself. */
  readonly tools: ReadonlySet<string>;
  /** Names of single tools. */
  readonly functions: ReadonlySet<string>;
}

const DECLARES = /^(?:const|let|var)$/;
const ENDS = /^(?:[;,)}]|const|let|var|return|await|try|for|if|while|function|async|class|text|throw)$/;

/** Reads `const { read, list: all } = tools`, `const read = tools.read` and `const t = tools` from the tokens. */
export function toolAliases(tokens: readonly Token[]): ToolAliases {
  const pairs = new Map([...matchBrackets(tokens)].map(([open, close]) => [close, open]));
  const text = (index: number): string | undefined => tokens[index]?.text;
  const found = { tools: new Set<string>(), functions: new Set<string>() };
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== "name" || token.text !== "tools" || text(index - 1) !== "=") continue;
    const target = index - 2;
    const open = text(target) === "}" ? pairs.get(target) : undefined;
    if (open !== undefined) {
      if (DECLARES.test(text(open - 1) ?? "") && endsAt(tokens, index + 1))
        for (const name of boundNames(tokens, open, target)) found.functions.add(name);
      continue;
    }
    const name = tokens[target];
    if (name?.kind !== "name" || !DECLARES.test(text(target - 1) ?? "")) continue;
    if (endsAt(tokens, index + 1)) found.tools.add(name.text);
    else if (endsAt(tokens, memberEnd(tokens, index + 1))) found.functions.add(name.text);
  }
  for (const name of namedOtherwise(tokens, found)) {
    found.tools.delete(name);
    found.functions.delete(name);
  }
  return found;
}

/** The names at the first level of an object pattern: `a`, `b: c`, `d = e`; none of one that holds another pattern. */
function boundNames(tokens: readonly Token[], open: number, close: number): string[] {
  const names: string[] = [];
  let from = open + 1;
  for (let index = open + 1; index <= close; index++) {
    const { text = "" } = tokens[index] ?? {};
    if (text !== "," && index !== close) continue;
    const part = tokens.slice(from, index);
    const [key, colon, value] = part;
    // A default may be another function.
    if (part.length === 1 && key?.kind === "name") names.push(key.text);
    else if (part.length === 3 && colon?.text === ":" && value?.kind === "name") names.push(value.text);
    from = index + 1;
  }
  return names;
}

/** Behind `.name` or `["name"]`; the index itself where neither stands. */
function memberEnd(tokens: readonly Token[], index: number): number {
  if (tokens[index]?.text === "." && tokens[index + 1]?.kind === "name") return index + 2;
  const isComputed =
    tokens[index]?.text === "[" && tokens[index + 1]?.kind === "string" && tokens[index + 2]?.text === "]";
  return isComputed ? index + 3 : index;
}

function endsAt(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  return token === undefined || ENDS.test(token.text);
}

/** Names that the script declares a second time or assigns to: what they stand for somewhere is not known. */
function namedOtherwise(tokens: readonly Token[], { tools, functions }: ToolAliases): string[] {
  const declared = new Map<string, number>();
  const others: string[] = [];
  for (const [index, { kind, text: name }] of tokens.entries()) {
    if (kind !== "name" || (!tools.has(name) && !functions.has(name))) continue;
    const before = tokens[index - 1]?.text ?? "";
    const after = tokens[index + 1]?.text ?? "";
    if (/^(?:function|class)$/.test(before) || after === "=>") others.push(name);
    if (after === "=" || DECLARES.test(before)) declared.set(name, (declared.get(name) ?? 0) + 1);
  }
  return [...others, ...[...declared].flatMap(([name, count]) => (count > 1 ? [name] : []))];
}
