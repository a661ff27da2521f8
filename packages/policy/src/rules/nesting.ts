import { createScanner } from "jsonc-parser";

import type { PolicyProblem } from "./types.ts";

/** Deepest nesting of a policy file: a rule needs some ten levels, and a reader goes down as deep as a text does. */
const MAX_NESTING = 64;

/** Where a text is nested too deeply to be read, or nothing. */
export function nestingProblem(source: string, file: string): PolicyProblem | undefined {
  const scanner = createScanner(source, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= source.length) return undefined;
    // Texts and comments are tokens of their own, so a bracket in front of one is a bracket.
    const first = source.charAt(offset);
    if (first === "{" || first === "[") depth += 1;
    else if (first === "}" || first === "]") depth -= 1;
    if (depth <= MAX_NESTING) continue;
    return {
      file,
      line: scanner.getTokenStartLine() + 1,
      column: scanner.getTokenStartCharacter() + 1,
      message: `nested more than ${MAX_NESTING} levels deep`,
    };
  }
}
