import type { Fields } from "./read.ts";

/**
 * The diagnostics of a TAP line that are no YAML, read field by field. node:test writes a value as JavaScript shows it:
 * `'it\'s'`, a text between backticks, and behind 10,000 characters how many more there were.
 */
export function looseDiagnostics(block: string): Fields {
  // Between the lines `---` and `...`.
  const lines = block.trimEnd().split("\n").slice(1, -1);
  const indent = /^ */.exec(lines[0] ?? "")?.[0].length ?? 0;
  const found = new Map<string, string | null>();
  for (let index = 0; index < lines.length; index += 1) {
    const [, key, value = ""] = /^([\w-]{1,64}):(?: +(.*))?$/.exec(lines[index]?.slice(indent) ?? "") ?? [];
    if (key === undefined) continue;
    const inner: string[] = [];
    for (let next = lines[index + 1]; next !== undefined && isInner(next, indent);) {
      inner.push(next);
      index += 1;
      next = lines[index + 1];
    }
    found.set(key, unquoted(inner.length === 0 ? value : dedented(inner)));
  }
  return Object.fromEntries(found);
}

function dedented(lines: readonly string[]): string {
  const indent = /^ */.exec(lines[0] ?? "")?.[0].length ?? 0;
  return lines.map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line)).join("\n");
}

function isInner(line: string, indent: number): boolean {
  return line.trim() === "" || line.startsWith(" ".repeat(indent + 1));
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
  ["b", "\b"],
  ["f", "\f"],
  ["v", "\v"],
]);

/** A value as JavaScript shows it; one that is neither text nor nothing stays as it is. */
function unquoted(value: string): string | null {
  if (value === "~") return null;
  const [, quote = "", text] = /^(['"`])(.*)\1(?:\.\.\. \d+ more characters?)?$/.exec(value) ?? [];
  if (quote === "" || text === undefined) return value;
  return unescaped(text);
}

/** What JavaScript's escapes stand for. */
function unescaped(text: string): string {
  return text.replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|(.))/g, (_all, byte, unit, other: string) => {
    const code: unknown = byte ?? unit;
    return typeof code === "string"
      ? String.fromCharCode(Number.parseInt(code, 16))
      : (escapes.get(other) ?? other);
  });
}

/**
 * A text that was read as YAML and written by node:test. YAML knows no escapes between single quotes, which JavaScript
 * sets around every text of one line that has none itself.
 */
export function nodeText(text: string): string {
  return /['\n]/.test(text) ? text : unescaped(text);
}
