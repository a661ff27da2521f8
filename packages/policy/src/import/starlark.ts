/** A value of the small part of Starlark that rule files use. */
export type StarlarkValue = string | boolean | number | readonly StarlarkValue[];

export interface StarlarkCall {
  readonly name: string;
  readonly line: number;
  readonly args: ReadonlyMap<string, StarlarkValue>;
}

export type StarlarkResult =
  | { readonly ok: true; readonly calls: readonly StarlarkCall[] }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** Deepest nesting of lists. */
const MAX_DEPTH = 20;

class Unreadable extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads a file that is nothing but calls with named arguments of texts, numbers, True, False and lists. Anything else
 * (assignments, loops, computed values) is refused as a whole: half a rule file is not a policy.
 */
export function readStarlarkCalls(source: string): StarlarkResult {
  const reader = createReader(source);
  try {
    const calls: StarlarkCall[] = [];
    for (reader.skip(); !reader.atEnd(); reader.skip()) calls.push(readCall(reader));
    return { ok: true, calls };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, line: error.line, message: error.message };
    throw error;
  }
}

interface Reader {
  atEnd(): boolean;
  /** White space and comments. */
  skip(): void;
  take(text: string): boolean;
  match(pattern: RegExp): string | undefined;
  readonly line: number;
  fail(message: string): never;
}

function createReader(source: string): Reader {
  let at = 0;
  const line = (): number => source.slice(0, at).split("\n").length;
  const reader: Reader = {
    atEnd: () => at >= source.length,
    skip() {
      reader.match(/(?:\s|#[^\n]*|\\\n)*/y);
    },
    take(text) {
      if (!source.startsWith(text, at)) return false;
      at += text.length;
      return true;
    },
    match(pattern) {
      pattern.lastIndex = at;
      const found = pattern.exec(source)?.[0];
      at += found?.length ?? 0;
      return found;
    },
    get line() {
      return line();
    },
    fail(message) {
      throw new Unreadable(line(), message);
    },
  };
  return reader;
}

function readCall(reader: Reader): StarlarkCall {
  const { line } = reader;
  const name = reader.match(/[A-Za-z_]\w*/y);
  if (name === undefined) reader.fail("expected a call");
  reader.skip();
  if (!reader.take("(")) reader.fail(`expected "(" after ${name}`);
  const args = new Map<string, StarlarkValue>();
  for (reader.skip(); !reader.take(")"); reader.skip()) {
    const key = reader.match(/[A-Za-z_]\w*/y);
    if (key === undefined) reader.fail("expected a named argument");
    reader.skip();
    if (!reader.take("=")) reader.fail(`expected "=" after ${key}`);
    if (args.has(key)) reader.fail(`${key} is given twice`);
    reader.skip();
    args.set(key, readValue(reader, 0));
    reader.skip();
    if (reader.take(",")) continue;
    if (!reader.take(")")) reader.fail('expected "," or ")"');
    break;
  }
  return { name, line, args };
}

function readValue(reader: Reader, depth: number): StarlarkValue {
  if (depth > MAX_DEPTH) reader.fail("lists are nested too deeply");
  for (const [open, close] of [
    ["[", "]"],
    ["(", ")"],
  ] as const) {
    if (!reader.take(open)) continue;
    const items: StarlarkValue[] = [];
    for (reader.skip(); !reader.take(close); reader.skip()) {
      items.push(readValue(reader, depth + 1));
      reader.skip();
      if (reader.take(",")) continue;
      if (!reader.take(close)) reader.fail(`expected "," or "${close}"`);
      break;
    }
    return items;
  }
  const word = reader.match(/True|False/y);
  if (word !== undefined) return word === "True";
  const number = reader.match(/-?\d+/y);
  if (number !== undefined) return Number(number);
  // Neighbouring texts are one text.
  let text: string | undefined;
  for (let piece = readText(reader); piece !== undefined; piece = readText(reader)) {
    text = (text ?? "") + piece;
    reader.skip();
  }
  return text ?? reader.fail("expected a text, a number, True, False or a list");
}

function readText(reader: Reader): string | undefined {
  const raw = reader.match(/r"[^"\n]*"|r'[^'\n]*'/y);
  if (raw !== undefined) return raw.slice(2, -1);
  const long = reader.match(/"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''/y);
  if (long !== undefined) return unescape(long.slice(3, -3));
  const short = reader.match(/"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y);
  return short === undefined ? undefined : unescape(short.slice(1, -1));
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", "\n": "" };

function unescape(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, (whole, char: string) => {
    if (Object.hasOwn(ESCAPES, char)) return ESCAPES[char] ?? "";
    return char === "\\" || char === '"' || char === "'" ? char : whole;
  });
}
