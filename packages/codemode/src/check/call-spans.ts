/** A call of a tool in a source text: offsets of its first character and behind its last. */
export interface CallSpan {
  readonly start: number;
  readonly end: number;
}

const CALL = /\btools\s*(?:\?\.|\.)?\s*(?:[A-Za-z_$][\w$]*|\[\s*(?:"[^"\n]*"|'[^'\n]*')\s*\])\s*\(/g;

/**
 * Where a source calls tools, by looking for brackets outside of strings and comments. It need not be exact: it only
 * decides which complaints about types are about calls.
 */
export function callSpans(source: string): readonly CallSpan[] {
  const spans: CallSpan[] = [];
  for (const match of source.matchAll(CALL)) {
    const open = match.index + match[0].length - 1;
    spans.push({ start: match.index, end: closing(source, open) });
  }
  return spans;
}

function closing(source: string, open: number): number {
  let depth = 0;
  for (let index = open; index < source.length; index++) {
    const char = source[index];
    if (char === "(" || char === "[" || char === "{") depth++;
    else if (char === ")" || char === "]" || char === "}") {
      depth--;
      if (depth === 0) return index + 1;
    } else if (char === '"' || char === "'" || char === "`") index = skipString(source, index);
    else if (char === "/" && source[index + 1] === "/") index = skipTo(source, "\n", index);
    else if (char === "/" && source[index + 1] === "*") index = skipTo(source, "*/", index + 2);
  }
  return source.length;
}

function skipString(source: string, start: number): number {
  const quote = source[start];
  for (let index = start + 1; index < source.length; index++) {
    if (source[index] === "\\") index++;
    else if (source[index] === quote) return index;
  }
  return source.length;
}

function skipTo(source: string, mark: string, from: number): number {
  const index = source.indexOf(mark, from);
  return index === -1 ? source.length : index + mark.length - 1;
}
