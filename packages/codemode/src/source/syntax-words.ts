import { CLOSERS, readBrackets } from "./brackets.ts";
import { lineAt, type SourceError, sourceError } from "./source-error.ts";

/** Where the JavaScript parser stopped. */
interface ParserStop {
  readonly error: SourceError;
  readonly offset: number;
}

/**
 * Says of a syntax error what its author has to change, where a parser only names the token at which it stopped: the
 * slips of those who write another language, another form of the source, or a bracket too few.
 */
export function inPlainWords(source: string, error: SourceError, stop: ParserStop): SourceError {
  if (error.name !== "SyntaxError" || error.line === undefined) return error;
  // What is told already with the way out of it stays.
  if (/not supported|Markdown|A script cannot/.test(error.message)) return error;
  const markup = markupWords(source, stop);
  if (markup !== undefined) return { ...stop.error, message: markup };
  const hash = /^[ \t]*#(?!!)/.exec(lineAt(source, stop.error.line ?? 0));
  if (hash !== null && stop.error.column !== undefined && stop.error.column <= hash[0].length + 1)
    return { ...stop.error, message: withPython("Unexpected '#': a comment begins with `//`", source) };
  return lineWords(source, error) ?? { ...error, message: withPython(bracketWords(source, error), source) };
}

/** Elements in the place of a value, or a tag around everything. */
function markupWords(source: string, { offset }: ParserStop): string | undefined {
  if (source[offset] !== "<") return undefined;
  const rest = source.slice(offset);
  const tag = /^<([A-Za-z][\w.-]*)/.exec(rest)?.[1];
  if (tag === undefined) return rest.startsWith("<>") && rest.includes("</>") ? NO_JSX : undefined;
  const isClosed = rest.includes(`</${tag}`);
  if (isClosed && source.slice(0, offset).trim() === "" && rest.trimEnd().endsWith(`</${tag}>`))
    return `The script is inside of a <${tag}> tag; send it without the tag`;
  return isClosed || /^<[A-Za-z][^<>]*\/>/.test(rest) ? NO_JSX : undefined;
}

const NO_JSX =
  "JSX is not supported: a script has no page to render; build texts with template literals instead";

const AWAIT =
  "`await` is only allowed in an async function: write `async` in front of the function that it stands in";

/** What can be seen from the line of the error. */
function lineWords(source: string, error: SourceError): SourceError | undefined {
  const { message, line = 0, column = 0 } = error;
  const text = lineAt(source, line);
  const at = column - 1;
  const before = text.slice(0, at);
  const rest = text.slice(at);
  const say = (words: string, start = at): SourceError =>
    sourceError(source, "SyntaxError", words, { line, column: start + 1 });

  if (message.startsWith("await isn't allowed")) return say(AWAIT);
  const waits = /(?<![\w$.])await\s+$/.exec(before);
  if (waits !== null && /^Unexpected (?:token|keyword) '[^)\]};,]/.test(message))
    return say(AWAIT, waits.index);
  if (message === "Unexpected token 'await'" && /\bfor\s*$/.test(before)) return say(AWAIT);

  if (message.startsWith("Unexpected character")) {
    if (/^@[\p{ID_Start}$_]/u.test(rest))
      return say(
        "Decorators are not supported: call the function yourself, `const A = decorate(class { … })`",
      );
    const code = rest.codePointAt(0) ?? 0;
    if (code < 128) return undefined;
    const way = /^[\u2018-\u201f\u00ab\u00bb]/.test(rest) ? "; texts stand in straight quotes" : "";
    return say(`${message} (U+${code.toString(16).toUpperCase().padStart(4, "0")})${way}`);
  }
  // The parser stands behind the backslash.
  const escape = rest.startsWith("\\") ? rest : text.slice(Math.max(0, at - 1));
  if (message.startsWith("Expecting Unicode escape") && /^\\[nrt"'`\\]/.test(escape))
    return say("Unexpected '\\': the script came escaped twice; send it with real line breaks and quotes");
  if (/^["']/.test(rest) && /(?<![\w$.])f$/.test(before))
    return say(withPython("A text with values in it is written `…${value}…` in back-ticks", source), at - 1);

  for (const { 0: entity, index } of text.matchAll(/&(?:gt|lt|amp|quot|apos|#\d{1,7});/g))
    if (index <= at && at <= index + entity.length)
      return say(`Unexpected '${entity}', which is HTML; send the script as plain text`, index);
  return undefined;
}

/** A token that ends or begins something, in the words of the parser and of what removes types. */
const AT_TOKEN =
  /^(?:Unexpected (?:token|keyword)|Expected .{1,40}, got) '([)\]};]|return|const|let|var|if|for|while|throw|try|switch)'$/;

/** The message with the bracket that is still open at an end that comes too early or at a token that closes another. */
function bracketWords(source: string, { message, line = 0, column = 0 }: SourceError): string {
  const token = AT_TOKEN.exec(message)?.[1];
  if (token === undefined && message !== "Unexpected end of input") return message;
  const { open } = readBrackets(source, token === undefined ? undefined : { line, column });
  if (open === undefined || CLOSERS.get(open.text) === token) return message;
  // Statements begin and end inside of braces; inside of other brackets none does.
  if (token !== undefined && /[;a-z]/.test(token) && CLOSERS.get(open.text) === "}") return message;
  return `${message}: nothing closes the \`${open.text}\` on line ${open.line}`;
}

/** Lines that end as no line of JavaScript does. */
const PYTHON =
  /^[ \t]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+\w+|elif|except|for|while|if|else|try|with)\b[^\n{]*:[ \t]*$|^[ \t]*from[ \t]+[\w.]+[ \t]+import\b|^[ \t]*print[ \t]+["']|\bprint\(f["']/m;

function withPython(message: string, source: string): string {
  return PYTHON.test(source)
    ? `${message}; this looks like Python, and scripts are JavaScript or TypeScript`
    : message;
}
