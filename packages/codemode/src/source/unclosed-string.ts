import { tokenizer, tokTypes } from "acorn";
import { PARSE_OPTIONS, toParseFailure } from "./parse.ts";
import type { SourceError } from "./source-error.ts";

/**
 * The text in quotes that a line break ends, when there is one above a line. The type stripper reads over it and names
 * the next token that it did not expect, on a line that has no fault.
 */
export function unclosedStringAbove(source: string, line: number): SourceError | undefined {
  try {
    const tokens = tokenizer(source, PARSE_OPTIONS.body);
    while (tokens.getToken().type !== tokTypes.eof);
    return undefined;
  } catch (thrown) {
    const { error } = toParseFailure(source, thrown);
    const isAbove = error.line !== undefined && error.line < line;
    return isAbove && error.message === "Unterminated string constant" ? error : undefined;
  }
}
