import { isRecord, messageOf } from "../shared/guards.ts";
import { isTooComplex } from "./complexity.ts";
import { readBrackets } from "./brackets.ts";
import { blank, positionAt } from "./edits.ts";
import { NO_MODULES } from "./module-form.ts";
import type { ParseOutcome } from "./parse.ts";
import { type SourceError, sourceError } from "./source-error.ts";

/** Removes types and keeps every position: `stripTypeScriptTypes` of `node:module`, or one that behaves like it. */
export type StripTypes = (source: string) => string;

/** The type stripper broke; the process that holds it has to be renewed before it reads another script. */
export class StripperBrokenError extends Error {
  readonly code = "stripper-broken";
  override readonly name = "StripperBrokenError";
}

/** `definite` failures are told whatever the JavaScript parser said. */
export type StripOutcome =
  | { readonly ok: true; readonly code: string }
  | { readonly ok: false; readonly error: SourceError; readonly line: number; readonly definite: boolean };

/** Wrappers that make top-level `return` and `await`, or a lone expression, legal; each on a line of its own. */
const BODY = { head: "async()=>{\n", tail: "\n}" } as const;
const EXPRESSION = { head: "async()=>(\n", tail: "\n)" } as const;
const MODULE = { head: "", tail: "" } as const;

/** The way out of each kind of syntax that types cannot simply be removed from. */
const WAYS_OUT: readonly (readonly [kind: RegExp, name: string, way: string])[] = [
  [/\benum\b/, "enum", "use a constant object instead: const A = { X: 1 } as const"],
  [/\bnamespace\b|\bmodule\b/, "namespace", "use a constant object or plain functions instead"],
  [/parameter propert/, "parameter property", "declare the field and assign it in the constructor"],
  [
    /import.*equals|import .*=|`import|export assignment/,
    "import =",
    "there is nothing to import in a script",
  ],
  [/angle-bracket|type assertion/, "<T>value assertion", "write `value as T` instead"],
];

function describeUnsupported(message: string): string {
  for (const [kind, name, way] of WAYS_OUT) {
    if (kind.test(message)) {
      return `TypeScript \`${name}\` is not supported: types are removed, not compiled; ${way}`;
    }
  }
  return `${message}: types are removed, not compiled; write that part as JavaScript`;
}

/** Line and column that the engine prints above the message: `:3`, the source lines, the caret. */
function placeOf(stack: string): { line: number; column: number } | undefined {
  const head = /^[^\n]*:(\d+)\n/.exec(stack);
  if (head === null) return undefined;
  const caret = /\n([ \t]*)\^+[ \t]*\n/.exec(stack);
  return { line: Number(head[1]), column: (caret?.[1] ?? "").length + 1 };
}

/** Removes the types of a script that is not valid JavaScript. The result is parsed again by the caller. */
export function stripScriptTypes(source: string, strip: StripTypes): StripOutcome {
  if (isTooComplex(source)) {
    const error = sourceError(
      source,
      "RangeError",
      "The script is nested too deeply to be read as TypeScript; end statements with semicolons, or leave the types out",
    );
    return { ok: false, error, line: 0, definite: true };
  }
  const body = runStrip(source, strip, BODY);
  if (body.ok || body.definite) return body;
  // `import` and `export` are legal only outside of a function; a module has no top-level `return`.
  const isModule = /\b(?:import|export)\b/.test(source);
  const outcome = runStrip(source, strip, isModule ? MODULE : EXPRESSION);
  if (outcome.ok || outcome.definite) return outcome;
  if (!MODULE_WORD.test(body.error.message)) return body;
  return stripMixed(source, strip, body) ?? outcome;
}

/** What the stripper says of `import` and `export` inside a function. */
const MODULE_WORD = /cannot be used outside of module code/;
/** Statements of modules in a script that returns as well: each costs a reading. */
const MAX_MODULE_WORDS = 50;

const FROM = String.raw`\s*from\s*(?:"[^"\n]*"|'[^'\n]*')[ \t]*;?`;
/** Imports and exports of which nothing is left when the types are gone. */
const TYPES_ONLY = [
  String.raw`import\s+type\s+(?:[\p{ID_Start}$_][\p{ID_Continue}$]*|\*\s*as\s+[\p{ID_Start}$_][\p{ID_Continue}$]*|\{[^{}'"]*\})${FROM}`,
  String.raw`import\s*\{(?:\s*type\s+[^{},'"]+,)*\s*type\s+[^{},'"]+,?\s*\}${FROM}`,
  String.raw`export\s+type\s*\{[^{}'"]*\}(?:${FROM})?`,
  String.raw`export\s*\{[^{}'"]*\}(?!\s*from\b)[ \t]*;?`,
].map((form) => new RegExp(form, "uy"));
/** The word in front of a declaration that stays. */
const EXPORTED =
  /export(?=\s+(?:type|interface|declare|abstract|const|let|var|function|class|async|enum|namespace)\b)/y;

/**
 * Reads a script that is neither a body nor a module: it returns, and has `import type` or `export` as well. The
 * stripper says where these stand; what is only types is blanked, what would load something is answered. Undefined:
 * a default export beside a `return`, or a place that is not what it was said to be.
 */
function stripMixed(
  source: string,
  strip: StripTypes,
  first: Extract<StripOutcome, { ok: false }>,
): StripOutcome | undefined {
  let text = source;
  let found: StripOutcome = first;
  for (let words = 0; words < MAX_MODULE_WORDS; words++) {
    if (found.ok || found.definite || !MODULE_WORD.test(found.error.message)) return found;
    const { line, column } = found.error;
    if (line === undefined || column === undefined) return undefined;
    const at = offsetOf(text, line, column);
    const word = /^(?:import|export)\b/.exec(text.slice(at, at + 7))?.[0];
    if (word === undefined || /^export\s+default\b/.test(text.slice(at, at + 200))) return undefined;
    const end = [...TYPES_ONLY, EXPORTED].reduce((reached, form) => {
      form.lastIndex = at;
      return Math.max(reached, at + (form.exec(text)?.[0].length ?? 0));
    }, at);
    if (end === at) {
      const message = `A script cannot ${word}: ${NO_MODULES}`;
      const error = sourceError(source, "SyntaxError", message, { line, column });
      return { ok: false, error, line, definite: true };
    }
    text = text.slice(0, at) + blank(text.slice(at, end)) + text.slice(end);
    found = runStrip(text, strip, BODY);
  }
  return undefined;
}

function offsetOf(source: string, line: number, column: number): number {
  let start = 0;
  for (let current = 1; current < line; current++) {
    const end = source.indexOf("\n", start);
    if (end === -1) return source.length;
    start = end + 1;
  }
  return start + column - 1;
}

interface Wrapper {
  readonly head: string;
  readonly tail: string;
}

function runStrip(source: string, strip: StripTypes, wrapper: Wrapper): StripOutcome {
  const read = attempt(source, strip, wrapper);
  if (read.ok) return read;
  const { message, unsupported } = read;
  // The stripper counts columns as they are seen: a tab is up to four, a Chinese character two, an accent none.
  const even = evenWidth(source);
  const again = even === source ? read : attempt(even, strip, wrapper);
  const at = !again.ok && again.message === message ? again.at : read.at;
  const text = unsupported ? describeUnsupported(message) : message;
  const error = sourceError(source, "SyntaxError", text, at);
  return { ok: false, error, line: at?.line ?? 0, definite: unsupported };
}

/** A text of the same units in which every character is one column wide; only its errors are of interest. */
function evenWidth(source: string): string {
  return source.replace(/[^\n\r -~]/g, (unit) => (unit.trim() === "" || unit < " " ? " " : "x"));
}

type Attempt =
  | { readonly ok: true; readonly code: string }
  | {
      readonly ok: false;
      readonly message: string;
      readonly unsupported: boolean;
      readonly at: { readonly line: number; readonly column: number } | undefined;
    };

function attempt(source: string, strip: StripTypes, { head, tail }: Wrapper): Attempt {
  try {
    const code = strip(`${head}${source}${tail}`);
    return { ok: true, code: code.slice(head.length, code.length - tail.length) };
  } catch (thrown) {
    const { code, stack } = isRecord(thrown) ? thrown : {};
    const message = messageOf(thrown);
    const unsupported = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
    // A stripper that failed otherwise may stay broken: this must not look like an answer.
    if (!unsupported && code !== "ERR_INVALID_TYPESCRIPT_SYNTAX")
      throw new StripperBrokenError(message, { cause: thrown });
    const found = typeof stack === "string" ? placeOf(stack) : undefined;
    const headLines = head === "" ? 0 : 1;
    const at =
      found === undefined ? undefined : { line: Math.max(1, found.line - headLines), column: found.column };
    return { ok: false, message, unsupported, at };
  }
}

/**
 * Which of two failures to tell: the TypeScript one when it names unsupported syntax or lies further down,
 * since then the script was TypeScript and its first type is not what is wrong with it.
 */
export function chooseError(
  source: string,
  javascript: Extract<ParseOutcome, { ok: false }>,
  typescript: Extract<StripOutcome, { ok: false }>,
): SourceError {
  if (typescript.definite) return typescript.error;
  const { error, line } = typescript;
  const { line: reached = 0, column = 0, lineText = "" } = javascript.error;
  // Undefined behind what is kept of a long line.
  const token = lineText[column - 1];
  // A brace too many closes the wrapper for the stripper, which then finds fault with what follows.
  if (token === "}") return javascript.error;
  // Behind the last line stands the wrapper.
  if (error.lineText === undefined) return endError(source, javascript);
  const isFurther =
    line > reached || (line === reached && (error.column ?? 0) > column && token !== undefined);
  return isFurther ? error : javascript.error;
}

/** What a script cannot end with. */
const UNFINISHED = /(?:[-*/%=&|^<?:,.(]|[^+]\+|=>)\s*$/;

/**
 * The stripper has read the script to its end and missed something there. The parser says it better, unless it stopped
 * at a type: then the brackets tell.
 */
function endError(source: string, javascript: Extract<ParseOutcome, { ok: false }>): SourceError {
  const { error, offset } = javascript;
  if (source.slice(offset).trim() === "") return error;
  const { open, extra } = readBrackets(source);
  if (extra !== undefined)
    return sourceError(source, "SyntaxError", `Unexpected token '${extra.text}'`, extra);
  if (open === undefined && !UNFINISHED.test(source.trimEnd().slice(-10))) return error;
  const end = positionAt(source, source.trimEnd().length);
  return sourceError(source, "SyntaxError", "Unexpected end of input", end);
}
