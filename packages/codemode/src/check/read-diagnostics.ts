import { lineAt } from "../source/source-error.ts";
import { callSpans, type CallSpan } from "./call-spans.ts";
import type { CheckOutcome, ScriptDiagnostic } from "./check-types.ts";
import { TOOLS_TYPE } from "./declaration-file.ts";

/** Most diagnostics that are told. */
export const MAX_DIAGNOSTICS = 20;
const MAX_MESSAGE_CHARS = 600;

/** Complaints about a call's arguments: wrong type, unknown or missing property, wrong number. */
const ARGUMENT_CODES: ReadonlySet<number> = new Set([
  2322, 2345, 2353, 2554, 2555, 2559, 2561, 2739, 2740, 2741, 2769, 2820,
]);
/** A name that does not exist. */
const NAME_CODES: ReadonlySet<number> = new Set([2304, 2552]);
/** A member that does not exist; with a near one that does. */
const MEMBER_CODE = 2339;
const NEAR_MEMBER_CODE = 2551;

const LINE = /^(.*?)\((\d+),(\d+)\): error TS(\d+): (.*)$/;

export interface ReadOptions {
  /** Name of the checked file, as the checker prints it. */
  readonly file: string;
  readonly text: string;
  readonly lineOffset: number;
  /** The script as it was handed in, for the texts of lines. */
  readonly code: string;
}

interface Finding {
  readonly line: number;
  readonly column: number;
  readonly code: number;
  message: string;
}

/**
 * Reads what the checker printed and keeps what a script's author has to know before anything happens: calls of tools
 * that are wrong, and names that do not exist. Everything else about the script's own code is its own affair.
 */
export function readDiagnostics(output: string, options: ReadOptions): CheckOutcome {
  const findings = parse(output, options.file);
  if (findings.some(({ code }) => code >= 1000 && code < 2000)) {
    return { kind: "not-checked", reason: "the checker cannot read the script" };
  }
  const starts = lineStarts(options.text);
  const spans = callSpans(options.text);
  const diagnostics = findings
    .filter((finding) => matters(finding, (starts[finding.line - 1] ?? 0) + finding.column - 1, spans))
    .slice(0, MAX_DIAGNOSTICS)
    .map((finding): ScriptDiagnostic => {
      const line = finding.line + options.lineOffset;
      const message = finding.message.slice(0, MAX_MESSAGE_CHARS);
      return { line, column: finding.column, message, lineText: lineAt(options.code, line) };
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

function matters({ code, message }: Finding, offset: number, spans: readonly CallSpan[]): boolean {
  if (NAME_CODES.has(code) || code === NEAR_MEMBER_CODE) return true;
  if (code === MEMBER_CODE) return message.includes(`'${TOOLS_TYPE}'`);
  return ARGUMENT_CODES.has(code) && spans.some(({ start, end }) => offset >= start && offset < end);
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map((match) => match.index + match[0].length)];
}
