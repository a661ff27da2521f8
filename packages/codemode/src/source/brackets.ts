import { tokenizer } from "acorn";
import { PARSE_OPTIONS } from "./parse.ts";

/** A bracket of a script, with its 1-based place. */
interface Bracket {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

interface Brackets {
  /** The innermost one that nothing closes. */
  readonly open: Bracket | undefined;
  /** The first one that closes nothing. */
  readonly extra: Bracket | undefined;
}

/** The bracket that closes each opening one. */
export const CLOSERS: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
  ["${", "}"],
]);

/** Which brackets of a script have no other half, from its start up to a place, or as far as it can be read. */
export function readBrackets(
  source: string,
  place?: { readonly line: number; readonly column: number },
): Brackets {
  const open: Bracket[] = [];
  let extra: Bracket | undefined;
  try {
    for (const { start, end, loc } of tokenizer(source, { ...PARSE_OPTIONS.body, locations: true })) {
      const at = loc?.start;
      if (at === undefined) break;
      const column = at.column + 1;
      if (place !== undefined && (at.line > place.line || (at.line === place.line && column >= place.column)))
        break;
      const text = source.slice(start, end);
      if (CLOSERS.has(text)) open.push({ text, line: at.line, column });
      else if (CLOSERS.get(open.at(-1)?.text ?? "") === text) open.pop();
      else if (text === ")" || text === "]" || text === "}") extra ??= { text, line: at.line, column };
    }
  } catch {
    // What cannot be read ends the list.
  }
  return { open: open.at(-1), extra };
}
