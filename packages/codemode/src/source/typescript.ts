import { isRecord, messageOf } from "../shared/guards.ts";
import { isTooComplex } from "./complexity.ts";
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
  const other = /\b(?:import|export)\b/.test(source) ? MODULE : EXPRESSION;
  const outcome = runStrip(source, strip, other);
  return outcome.ok || outcome.definite ? outcome : body;
}

interface Wrapper {
  readonly head: string;
  readonly tail: string;
}

function runStrip(source: string, strip: StripTypes, { head, tail }: Wrapper): StripOutcome {
  try {
    const code = strip(`${head}${source}${tail}`);
    return { ok: true, code: code.slice(head.length, code.length - tail.length) };
  } catch (thrown) {
    const { code, stack } = isRecord(thrown) ? thrown : {};
    const text = messageOf(thrown);
    const isSyntax = code === "ERR_INVALID_TYPESCRIPT_SYNTAX" || code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
    // A stripper that failed otherwise may stay broken: this must not look like an answer.
    if (!isSyntax) throw new StripperBrokenError(text, { cause: thrown });
    const found = typeof stack === "string" ? placeOf(stack) : undefined;
    const headLines = head === "" ? 0 : 1;
    const at =
      found === undefined ? undefined : { line: Math.max(1, found.line - headLines), column: found.column };
    const unsupported = code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
    const error = sourceError(source, "SyntaxError", unsupported ? describeUnsupported(text) : text, at);
    return { ok: false, error, line: at?.line ?? 0, definite: unsupported };
  }
}

/**
 * Which of two failures to tell: the TypeScript one when it names unsupported syntax or lies further down,
 * since then the script was TypeScript and its first type is not what is wrong with it.
 */
export function chooseError(
  javascript: Extract<ParseOutcome, { ok: false }>,
  typescript: Extract<StripOutcome, { ok: false }>,
): SourceError {
  if (typescript.definite) return typescript.error;
  const { error, line } = typescript;
  // Behind the last line stands the wrapper: what the stripper misses there, the parser says better.
  const isOwn = error.lineText !== undefined;
  return isOwn && line > (javascript.error.line ?? 0) ? error : javascript.error;
}
