import { isRecord, messageOf } from "../shared/guards.ts";

/** What the `// @options:` line of a script asks for; the same fields and rules as the built-in codemode's. */
export interface SourceOptions {
  /** Output budget in estimated tokens (four characters each). */
  readonly maxOutputTokens?: number;
  /** Deadline of the whole script in milliseconds. */
  readonly timeoutMs?: number;
}

export type ScriptSource =
  | {
      readonly ok: true;
      /** The script without its options line; the line break stays, so that line numbers are those of the input. */
      readonly code: string;
      readonly options: SourceOptions;
    }
  | { readonly ok: false; readonly message: string };

const PREFIX = "// @options:";
const FIELDS: readonly string[] = ["max_output_tokens", "timeout_ms"];
const FIELD_LIST = "`max_output_tokens` and `timeout_ms`";
/** The largest delay of a timer, which bounds `timeout_ms`. */
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * A Lark grammar for providers that constrain what a model may write: it fixes only the shape of the options
 * line, {@link parseScriptSource} checks the rest.
 */
export const SOURCE_GRAMMAR = String.raw`
start: options_source | plain_source
options_source: OPTIONS_LINE NEWLINE SOURCE
plain_source: SOURCE

OPTIONS_LINE: /[ \t]*\/\/ @options:[^\r\n]*/
NEWLINE: /\r?\n/
SOURCE: /[\s\S]+/
`;

/**
 * Takes the optional first line `// @options: {...}` off a script. Empty input, wrong options and an options line
 * anywhere else, where it would be ignored in silence, are failures. The messages are part of the script contract.
 */
export function parseScriptSource(input: string): ScriptSource {
  if (input.trim() === "") {
    return fail(
      'Expected JavaScript source text (non-empty). Provide JS only, optionally with a first line `// @options: {"max_output_tokens": 1000}`.',
    );
  }
  const lines = input.split("\n");
  const found = lines.findIndex((line, index) => index > 0 && line.trimStart().startsWith(PREFIX));
  if (found !== -1) {
    if (isFenceHead(lines, found)) return fenced(lines, found);
    return fail(`The ${PREFIX} line must be the first line of the input; found one on line ${found + 1}`);
  }
  const first = (lines[0] ?? "").replace(/\r$/, "").trimStart();
  if (!first.startsWith(PREFIX)) return { ok: true, code: input, options: {} };
  const newline = input.indexOf("\n");
  const code = newline === -1 ? "" : input.slice(newline);
  if (code.trim() === "")
    return fail("The @options line must be followed by JavaScript source on subsequent lines");
  const options = parseOptions(first.slice(PREFIX.length).trim());
  return typeof options === "string" ? fail(options) : { ok: true, code, options };
}

/** Whether a line is the first one inside of a Markdown fence. */
function isFenceHead(lines: readonly string[], index: number): boolean {
  const before = lines.slice(0, index);
  const fence = before.findIndex((line) => /^[ \t]*(?:`{3,}|~{3,})/.test(line));
  return fence !== -1 && before.slice(fence + 1).every((line) => line.trim() === "");
}

/** The options line of a script in a fence: it is emptied, and the rest stays as it is. */
function fenced(lines: readonly string[], index: number): ScriptSource {
  const rest = lines.slice(index + 1);
  if (rest.some((line) => line.trimStart().startsWith(PREFIX))) {
    return fail(`The ${PREFIX} line must be the first line of the script, and there is only one`);
  }
  const options = parseOptions((lines[index] ?? "").trim().slice(PREFIX.length).trim());
  if (typeof options === "string") return fail(options);
  return { ok: true, code: lines.with(index, "").join("\n"), options };
}

function fail(message: string): ScriptSource {
  return { ok: false, message };
}

/** The options, or what is wrong with them. */
function parseOptions(text: string): SourceOptions | string {
  const notAnObject = `@options must be a JSON object with supported fields ${FIELD_LIST}`;
  if (text === "") return notAnObject;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return `@options must be valid JSON with supported fields ${FIELD_LIST}: ${messageOf(error)}`;
  }
  if (!isRecord(value)) return notAnObject;
  const unknown = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) return `@options only supports ${FIELD_LIST}; got \`${unknown}\``;
  const { max_output_tokens: tokens, timeout_ms: timeout } = value;
  if (tokens !== undefined && !isCount(tokens)) {
    return "@options field `max_output_tokens` must be a non-negative safe integer";
  }
  if (timeout !== undefined && (!isCount(timeout) || timeout === 0 || timeout > MAX_TIMEOUT_MS)) {
    return `@options field \`timeout_ms\` must be a positive integer up to ${MAX_TIMEOUT_MS}`;
  }
  return {
    ...(tokens === undefined ? {} : { maxOutputTokens: tokens }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
