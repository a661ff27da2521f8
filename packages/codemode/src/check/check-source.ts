import { mayBeFenced, unfence } from "../source/fence.ts";
import { type PreparedScript, prepareSource } from "../source/prepare.ts";

/** Longest script that is checked, in characters. */
export const MAX_CHECKED_CHARS = 200_000;

/** A script as a file for a type checker. */
export interface CheckSource {
  readonly extension: ".js" | ".ts";
  readonly text: string;
  /** Add to a line of the file to get the script's own. */
  readonly lineOffset: number;
  /** Places where the file's columns are larger than the script's. */
  readonly shifts: PreparedScript["shifts"];
}

/** The file to check. TypeScript keeps its types, so nothing is stripped here, and nothing is run. */
export function toCheckSource(code: string): CheckSource | { readonly reason: string } {
  if (code.length > MAX_CHECKED_CHARS)
    return { reason: `the script is longer than ${MAX_CHECKED_CHARS} characters` };
  const prepared = prepareSource(code);
  if (prepared.ok) {
    const { program, lineOffset, shifts } = prepared;
    return { extension: ".js", text: program, lineOffset, shifts };
  }
  const inner = mayBeFenced(code) ? unfence(code) : undefined;
  if (inner?.ok === false) return { reason: inner.error.message };
  const source = inner?.code ?? code;
  // These stand only outside of a function, where the checker's one complaint is of a `return`.
  if (/^\s*(?:import|export|declare\s+\w+|namespace\s+\w+)\b/m.test(source))
    return { extension: ".ts", text: source, lineOffset: 0, shifts: [] };
  return { extension: ".ts", text: `(async () => {\n${source}\n})`, lineOffset: -1, shifts: [] };
}
