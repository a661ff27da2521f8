/** What a sandbox reports of a failure, as the error that the host tells. */
import type { ScriptError } from "../types.ts";
import type { ReportedError } from "./protocol.ts";
import { lineTextOf, placeIn } from "./script-place.ts";

/** V8's words for a buffer beyond the isolate's memory limit. */
const NO_BUFFER = "Array buffer allocation failed";

export const memoryMessage = (memoryMb: number): string =>
  `The script used more than its memory limit of ${memoryMb} MB; filter or aggregate large data instead of accumulating it`;

/** A buffer that did not fit is a RangeError, which the script may catch; one that ends it is told as what it is. */
export function asMemory(error: ReportedError, memoryMb: number): ReportedError {
  if (error.kind !== "script" || error.name !== "RangeError" || error.message !== NO_BUFFER) return error;
  return { ...error, kind: "memory", name: "MemoryLimitError", message: memoryMessage(memoryMb) };
}

/** With the place in the script's code, and its line. */
export function scriptErrorOf(reported: ReportedError, code: string): ScriptError {
  const place = reported.line === undefined ? placeIn(code, reported.frames) : undefined;
  const line = reported.line ?? place?.line;
  const column = reported.column ?? place?.column;
  const lineText = reported.lineText ?? (line === undefined ? undefined : lineTextOf(code, line));
  const { kind, name, message } = reported;
  const head = message === "" ? name : `${name}: ${message}`;
  const at =
    line === undefined ? "" : `\n    at codemode.js:${line}${column === undefined ? "" : `:${column}`}`;
  return {
    kind,
    name,
    message,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    ...(lineText === undefined ? {} : { lineText }),
    stack: head + (reported.frames === "" ? at : `\n${reported.frames}`),
  };
}
