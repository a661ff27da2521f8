import { parseComments } from "./parse.ts";

/**
 * Comments by which an engine would take another name or place for the script: `//# sourceURL=…`,
 * `//@ sourceMappingURL=…`. With one of them no frame of a stack would name the script any more.
 */
const MAYBE = /\/\/[#@]/;

/** The program with the mark of such comments taken out; nothing moves. */
export function blankMagicComments(program: string): string {
  if (!MAYBE.test(program)) return program;
  let result = "";
  let position = 0;
  for (const { start, end } of parseComments(program)) {
    if (!MAYBE.test(program.slice(start, start + 3))) continue;
    result += program.slice(position, start + 2) + " ".repeat(end - start - 2);
    position = end;
  }
  return result + program.slice(position);
}
