import { hintFor } from "../output/hints.ts";
import { lineAt } from "../source/source-error.ts";
import { callPlaces } from "./call-places.ts";
import { isCertain } from "./certainty.ts";
import type { CheckOutcome, ScriptDiagnostic } from "./check-types.ts";
import { TOOLS_TYPE } from "./declaration-file.ts";
import { ownNames } from "./own-names.ts";
import { isAssignment, readTokens, tokenAt } from "./tokens.ts";

/** Most diagnostics that are told. */
export const MAX_DIAGNOSTICS = 20;
const MAX_MESSAGE_CHARS = 600;

/** Complaints about a call's arguments: wrong type, unknown or missing property. */
const ARGUMENT_CODES: ReadonlySet<number> = new Set([
  2322, 2345, 2353, 2559, 2561, 2739, 2740, 2741, 2769, 2820,
]);
/** The wrong number of arguments; one too few is told at the tool's name. */
const COUNT_CODES: ReadonlySet<number> = new Set([2554, 2555]);
/** A name that does not exist; those from 2580 on are known from elsewhere, such as `process` and `document`. */
const NAME_CODES: ReadonlySet<number> = new Set([
  2304, 2552, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2867, 2868, 18004,
]);
/** A `return` outside of a function: the end of a script that is a module, too. */
const TOP_LEVEL_RETURN = 1108;
/** A member that does not exist; with a near one that does. */
const MEMBER_CODE = 2339;
const NEAR_MEMBER_CODE = 2551;

const LINE = /^(.*?)\((\d+),(\d+)\): error TS(\d+): (.*)$/;

export interface ReadOptions {
  /** Name of the checked file, as the checker prints it. */
  readonly file: string;
  readonly text: string;
  readonly lineOffset: number;
  /** Places where the columns of the checked text are larger than the script's. */
  readonly shifts: readonly { readonly line: number; readonly column: number; readonly by: number }[];
  /** The script as it was handed in, for the texts of lines. */
  readonly code: string;
  /** The declarations that it was checked against. */
  readonly declarations: string;
  /** The script without its types, where it has some: names that are not in it are names of types. */
  readonly erased?: string | undefined;
}

interface Finding {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  message: string;
}

/**
 * Reads what the checker printed and keeps what a script's author has to know before anything happens: calls of tools
 * that are wrong, and names that do not exist. Everything else about the script's own code is its own affair, and so is
 * what may well be right when it runs.
 */
export function readDiagnostics(output: string, options: ReadOptions): CheckOutcome {
  const findings = parse(output, options.file).filter(({ code }) => code !== TOP_LEVEL_RETURN);
  if (findings.some(({ code }) => code >= 1000 && code < 2000)) {
    return { kind: "not-checked", reason: "the checker cannot read the script" };
  }
  if (findings.length === 0) return { kind: "clean" };
  const starts = lineStarts(options.text);
  const matters = judge(options);
  const diagnostics = findings
    .filter((finding) => matters(finding, (starts[finding.line - 1] ?? 0) + finding.column - 1))
    .slice(0, MAX_DIAGNOSTICS)
    .map((finding): ScriptDiagnostic => {
      const line = finding.line + options.lineOffset;
      const column = unshifted(line, finding.column, options.shifts);
      return { line, column, message: wording(finding), lineText: lineAt(options.code, line) };
    });
  return diagnostics.length === 0 ? { kind: "clean" } : { kind: "faulty", diagnostics };
}

function parse(output: string, file: string): Finding[] {
  const findings: Finding[] = [];
  let current: Finding | undefined;
  for (const text of output.split(/\r?\n/)) {
    const match = LINE.exec(text);
    if (match === null) {
      // Further lines of a message are indented.
      if (current !== undefined && text.startsWith("  ")) current.message += `\n${text}`;
      continue;
    }
    const [, path = "", line, column, code, message = ""] = match;
    current = undefined;
    if (!path.endsWith(file)) continue;
    current = { line: Number(line), column: Number(column), code: Number(code), message };
    findings.push(current);
  }
  return findings;
}

/** Whether a finding at an offset is to be told. */
function judge({ text, declarations, erased }: ReadOptions): (finding: Finding, offset: number) => boolean {
  const tokens = readTokens(text);
  const names = ownNames(tokens);
  const places = callPlaces(tokens, names);
  const values =
    erased === undefined ? undefined : new Set(readTokens(erased).map(({ text: value }) => value));
  const typeOf = (name: string): string | undefined => declaredType(declarations, name);

  return ({ code, message }, offset) => {
    const index = tokenAt(tokens, offset);
    const token = tokens[index];
    if (token === undefined) return false;
    if (NAME_CODES.has(code)) {
      return token.kind === "name" && !names.mayExist(token.text) && values?.has(token.text) !== false;
    }
    if (code === MEMBER_CODE || code === NEAR_MEMBER_CODE) {
      if (isAssignment(tokens[index + 1])) return false;
      // Never tools, and asked for without harm.
      if (/^(?:then|toJSON)$/.test(token.text) && !isPromise(message)) return false;
      if (message.includes(`on type '${TOOLS_TYPE}'`) || isPromise(message)) return true;
      return (
        code === NEAR_MEMBER_CODE && !names.isOwnMember(token.text) && !isDeclared(declarations, token.text)
      );
    }
    if (COUNT_CODES.has(code)) {
      return places.isCallee(index) || (places.isArgument(index) && tokens[index + 1]?.text !== "(");
    }
    return (
      ARGUMENT_CODES.has(code) &&
      places.isArgument(index) &&
      isCertain(message, { tokens, index, names, typeOf })
    );
  };
}

function isPromise(message: string): boolean {
  return message.includes("' does not exist on type 'Promise<");
}

/** Whether some result has a member of that name: where a result is one of several, only some of them need to. */
function isDeclared(declarations: string, name: string): boolean {
  return (
    declarations.includes(` ${name}: `) ||
    declarations.includes(` ${name}?: `) ||
    declarations.includes(`${JSON.stringify(name)}: `) ||
    declarations.includes(`${JSON.stringify(name)}?: `)
  );
}

function declaredType(declarations: string, name: string): string | undefined {
  if (!/^[\w$]+$/.test(name)) return undefined;
  const head = `type ${name} = `;
  const start = declarations.startsWith(head) ? 0 : declarations.indexOf(`\n${head}`) + 1;
  if (start === 0 && !declarations.startsWith(head)) return undefined;
  const end = declarations.indexOf(";\n", start);
  return declarations.slice(start + head.length, end === -1 ? undefined : end);
}

/** The compiler's words, without its advice to install something and with what there is instead. */
function wording({ code, message }: Finding): string {
  if (isPromise(message)) return `${message.slice(0, MAX_MESSAGE_CHARS)} Did you forget to use 'await'?`;
  const name = NAME_CODES.has(code) ? /^Cannot find name '([^']*)'\./.exec(message)?.[1] : undefined;
  const hint = name === undefined ? undefined : hintFor("ReferenceError", `${name} is not defined`);
  if (hint !== undefined) return `Cannot find name '${name}': ${hint}.`;
  const told = code >= 2580 && code < 2900 && name !== undefined ? `Cannot find name '${name}'.` : message;
  return told.slice(0, MAX_MESSAGE_CHARS);
}

function unshifted(line: number, column: number, shifts: ReadOptions["shifts"]): number {
  const shift = shifts.find((one) => one.line === line && column >= one.column);
  return shift === undefined ? column : Math.max(1, column - shift.by);
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((match) => match.index + match[0].length)];
}
