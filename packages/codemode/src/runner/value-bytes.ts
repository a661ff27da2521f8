/**
 * What a value of JSON takes in this process's memory, about: texts are short beside what they may become, `[{},{}]`
 * twenty times its length.
 */
const BYTES_OF_OBJECT = 56;
const BYTES_OF_MEMBER = 8;

export interface ValueBytes {
  /** Of its texts, its keys left out. */
  readonly texts: number;
  /** Of its objects, lists and members. */
  readonly structure: number;
}

/** Of a parsed value; `undefined` where it is nested deeper than `maxDepth`. Without recursion. */
export function bytesOf(value: unknown, maxDepth: number): ValueBytes | undefined {
  let texts = typeof value === "string" ? value.length : 0;
  let structure = 0;
  let level: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return undefined;
    const next: object[] = [];
    for (const parent of level) {
      const children: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
      structure += BYTES_OF_OBJECT + BYTES_OF_MEMBER * children.length;
      for (const child of children) {
        if (typeof child === "string") texts += child.length;
        else if (typeof child === "object" && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return { texts, structure };
}

const QUOTE = 34;
const COMMA = 44;
const BRACKET = 91;
const BACKSLASH = 92;
const BRACE = 123;

/** Of a text before it is parsed, whatever it is. */
export function bytesOfJson(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) bytes += BYTES_OF_MEMBER;
    else if (code === BRACKET || code === BRACE) bytes += BYTES_OF_OBJECT + BYTES_OF_MEMBER;
    else if (code === QUOTE) at = endOfString(text, at);
  }
  return bytes;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let from = end;
    while (text.charCodeAt(from - 1) === BACKSLASH) from--;
    if ((end - from) % 2 === 0) return end;
  }
  return text.length;
}
