import { type ParseError, printParseErrorCode } from "jsonc-parser";

const WORDS: Readonly<Record<string, string>> = {
  InvalidSymbol: "this is no word of JSON; a text stands in double quotes",
  InvalidNumberFormat: "this is no number",
  PropertyNameExpected: 'a name in double quotes has to stand here, as in "name": value',
  ValueExpected: "a value has to stand here",
  ColonExpected: "a colon has to stand between a name and its value",
  CommaExpected: "a comma has to stand between two items",
  CloseBraceExpected: "a closing } is missing",
  CloseBracketExpected: "a closing ] is missing",
  EndOfFileExpected: "nothing may follow after the end",
  InvalidCommentToken: "a comment begins with // or /*",
  UnexpectedEndOfComment: "a comment is not closed with */",
  UnexpectedEndOfString: "a text is not closed with a double quote",
  UnexpectedEndOfNumber: "a number is not complete",
  InvalidUnicode: "\\u is followed by four digits, 0 to 9 and a to f",
  InvalidEscapeCharacter: "no such escape: a backslash in a text is written \\\\",
  InvalidCharacter: "a control character in a text is written as an escape, a line break as \\n",
};

/** What is wrong with a JSON text, for the person who wrote it. */
export function jsonSyntaxText({ error }: Pick<ParseError, "error">): string {
  const code = printParseErrorCode(error);
  return WORDS[code] ?? code;
}
