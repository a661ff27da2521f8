import { type Expression, parseExpressionAt, type Options, Parser, type Program } from "acorn";
import { type SourceError, sourceError } from "./source-error.ts";

/**
 * How a script is read: the body of a sloppy async function, as in the built-in codemode, so `return`, `await`
 * and HTML-like comments are legal. `module` reads `import` and `export`, only to rewrite or refuse them.
 */
export type ParseGoal = "body" | "module";

export type ParseOutcome =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly error: SourceError; readonly offset: number };

/** Options of the parser for each goal. */
const COMMON: Options = {
  ecmaVersion: "latest",
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowHashBang: true,
};

export const PARSE_OPTIONS: Readonly<Record<ParseGoal, Options>> = {
  body: { ...COMMON, sourceType: "script" },
  // `return` stays legal, so that a script that mixes both forms is still understood.
  module: { ...COMMON, sourceType: "module" },
};

/** The parser's mark of the cases of a `switch`, which it does not export. */
const SWITCH_SCOPE = 1024;

/** `using` at the top of a script is legal, because that is a function's body; the parser does not know it. */
class ScriptParser extends Parser {
  get allowUsing(): boolean {
    const { flags } = (this as unknown as { currentScope(): { readonly flags: number } }).currentScope();
    return (flags & SWITCH_SCOPE) === 0;
  }
}

const acornParse = (source: string, options: Options): Program => ScriptParser.parse(source, options);

/** What acorn throws, as far as it is used here. */
interface AcornError {
  readonly message: string;
  readonly pos: number;
  readonly loc: { readonly line: number; readonly column: number };
}

function isAcornError(error: unknown): error is AcornError {
  return (
    error instanceof SyntaxError &&
    typeof (error as Partial<AcornError>).pos === "number" &&
    typeof (error as Partial<AcornError>).loc === "object"
  );
}

/** Shown in place of the parser's bare "Unexpected token". */
function nameToken(source: string, offset: number): string {
  if (offset >= source.length) return "Unexpected end of input";
  const word = /^(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\d+|[^\s])/u.exec(
    source.slice(offset, offset + 60),
  )?.[0];
  return word === undefined ? "Unexpected token" : `Unexpected token '${word}'`;
}

/** Turns whatever the parser threw into an error with the script's own position. */
export function toParseFailure(source: string, thrown: unknown): { error: SourceError; offset: number } {
  const at = isAcornError(thrown) ? { line: thrown.loc.line, column: thrown.loc.column + 1 } : undefined;
  // The parser is recursive: the only other way out of it is the end of the stack.
  if (!isAcornError(thrown) || thrown.message.startsWith("Not enough stack space")) {
    return {
      error: sourceError(source, "RangeError", "The script is nested too deeply to be read", at),
      offset: -1,
    };
  }
  const bare = thrown.message.replace(/ \(\d+:\d+\)$/, "");
  const message = bare === "Unexpected token" ? nameToken(source, thrown.pos) : bare;
  return { error: sourceError(source, "SyntaxError", message, at), offset: thrown.pos };
}

/** What the parser says when it stops where no type can stand: inside of one token, or behind a whole statement. */
const NO_TYPE =
  /^(?:Unterminated (?:string|template|comment|regular)|Illegal newline after throw|Missing catch or finally clause)/;

/** Whether a script that JavaScript refuses for this may be TypeScript. */
export function mayBeTypes({ message }: SourceError): boolean {
  return !NO_TYPE.test(message);
}

/** Reads the script alone, without anything around it, so that it cannot close a wrapper of ours. */
export function parseScript(source: string, goal: ParseGoal = "body"): ParseOutcome {
  try {
    return { ok: true, program: acornParse(source, PARSE_OPTIONS[goal]) };
  } catch (thrown) {
    return { ok: false, ...toParseFailure(source, thrown) };
  }
}

/** The expression that the whole text is, such as an object literal or an anonymous function. */
export function parseExpression(source: string): Expression | undefined {
  try {
    const expression = parseExpressionAt(source, 0, PARSE_OPTIONS.body);
    // What follows is left to the parser too: it knows every way in which a comment can end.
    const rest = acornParse(source.slice(expression.end), PARSE_OPTIONS.body);
    return rest.body.every((node) => node.type === "EmptyStatement") ? expression : undefined;
  } catch {
    return undefined;
  }
}

/** The comments of a program that parses, in order; offsets of the first character and behind the last. */
export function parseComments(program: string): readonly { readonly start: number; readonly end: number }[] {
  const comments: { start: number; end: number }[] = [];
  acornParse(program, {
    ecmaVersion: "latest",
    sourceType: "script",
    onComment: (_block, _text, start, end) => void comments.push({ start, end }),
  });
  return comments;
}

/** Whether a text is one async arrow function in parentheses and nothing else. */
export function isWrapped(program: string): boolean {
  try {
    const { body } = acornParse(program, { ecmaVersion: "latest", sourceType: "script" });
    const [statement, second] = body;
    if (second !== undefined || statement?.type !== "ExpressionStatement") return false;
    const fn = statement.expression;
    // Behind the function only its closing parenthesis.
    return (
      fn.type === "ArrowFunctionExpression" && fn.async && fn.start === 1 && fn.end === program.length - 1
    );
  } catch {
    return false;
  }
}
