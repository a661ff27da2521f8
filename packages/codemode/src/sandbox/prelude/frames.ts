import type { Primordials } from "./primordials.ts";

/**
 * Reads the script's own places out of stacks.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeFrames(P: Primordials) {
  "use strict";
  const FRAME = "codemode.js:";
  const DIGITS = "0123456789";
  /** Where a word of ours stands in front of the script's last expression, and how wide it is. */
  let moved = { line: "", column: 0, by: 0 };

  /** Made when it is first read, which fails where a function's name is too long for it. */
  function stackOf(error: Error): string {
    try {
      const { stack } = error as { stack?: unknown };
      return typeof stack === "string" ? stack : "";
    } catch {
      return "";
    }
  }

  /** Where the frames begin: the message before them can hold lines that look like frames. */
  function framesStart(error: Error, stack: string): number {
    const { message } = error as { message?: unknown };
    if (typeof message !== "string" || P.indexOf(message, "\n") === -1) return 0;
    const at = P.indexOf(stack, message);
    return at === -1 ? 0 : at + message.length;
  }

  /** Lines of the stack that name the script, one a line. */
  function frames(error: Error): string {
    const stack = stackOf(error);
    let out = "";
    let from = framesStart(error, stack);
    for (let lines = 0; from < stack.length && lines < 60; lines++) {
      let end = P.indexOf(stack, "\n", from);
      if (end === -1) end = stack.length;
      const line = P.slice(stack, from, end);
      from = end + 1;
      if (P.indexOf(line, "    at ") !== 0 || P.indexOf(line, FRAME) === -1) continue;
      out += (out === "" ? "" : "\n") + atItsColumn(line);
    }
    return out;
  }

  /** A frame with the script's own column. */
  function atItsColumn(frame: string): string {
    if (moved.by === 0 || placeOf(frame) !== moved.line) return frame;
    const end = frame.length - (P.slice(frame, frame.length - 1) === ")" ? 1 : 0);
    const start = digitsBefore(frame, end);
    const column = +P.slice(frame, start, end);
    return column < moved.column
      ? frame
      : P.slice(frame, 0, start) + (column - moved.by) + P.slice(frame, end);
  }

  /** Where the digits before this place begin. */
  function digitsBefore(text: string, end: number): number {
    let at = end;
    while (at > 0 && P.indexOf(DIGITS, P.slice(text, at - 1, at)) !== -1) at--;
    return at;
  }

  /**
   * The line that a frame names at its end, as `codemode.js:line:column` or with a bracket after it: what stands before
   * it may be a name that the script chose. Read without a regular expression, which would tell the script that the
   * bridge had used one.
   */
  function placeOf(frame: string): string | undefined {
    const end = frame.length - (P.slice(frame, frame.length - 1) === ")" ? 1 : 0);
    const column = digitsBefore(frame, end);
    if (column === end || P.slice(frame, column - 1, column) !== ":") return undefined;
    const line = digitsBefore(frame, column - 1);
    const digits = P.slice(frame, line, column - 1);
    if (digits === "" || digits.length > 9 || P.slice(digits, 0, 1) === "0") return undefined;
    return P.slice(frame, line - FRAME.length, line) === FRAME ? digits : undefined;
  }

  /** The line of the script's innermost frame, in digits. */
  function lineOf(site: Error): string {
    const stack = stackOf(site);
    for (let from = 0; from < stack.length;) {
      let end = P.indexOf(stack, "\n", from);
      if (end === -1) end = stack.length;
      const place = placeOf(P.slice(stack, from, end));
      if (place !== undefined) return place;
      from = end + 1;
    }
    return "0";
  }

  return {
    frames,
    lineOf,
    move(line: number, column: number, by: number): void {
      moved = { line: P.String(line), column, by };
    },
  };
}

export type Frames = ReturnType<typeof makeFrames>;
