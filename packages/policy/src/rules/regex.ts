import { RE2JS } from "re2js";

import type { TextTest } from "./wildcard.ts";

/** Longest expression of a rule, in characters. */
export const MAX_REGEX_CHARS = 1_000;

export type RegexResult =
  | { readonly ok: true; readonly test: TextTest }
  | { readonly ok: false; readonly message: string };

/** Compiles an expression of a policy file. RE2: linear time, so a rule can never hang a decision. */
export function compileRegex(source: string): RegexResult {
  if (source.length > MAX_REGEX_CHARS)
    return { ok: false, message: `the expression is longer than ${MAX_REGEX_CHARS} characters` };
  try {
    const compiled = RE2JS.compile(source);
    return { ok: true, test: (value) => compiled.matcher(value).find() };
  } catch (error) {
    return {
      ok: false,
      message: `not an RE2 expression: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}
