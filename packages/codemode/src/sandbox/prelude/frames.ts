import type { Primordials } from "./primordials.ts";

/**
 * Reads the script's own places out of stacks.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeFrames(P: Primordials) {
  "use strict";
  const FRAME = "codemode.js:";
  /** Where a frame is, at its end: what stands before it may be a name that the script chose. */
  const PLACE = /codemode\.js:([1-9]\d{0,8}):\d+\)?$/;

  /** Where the frames begin: the message before them can hold lines that look like frames. */
  function framesStart(error: Error, stack: string): number {
    const { message } = error as { message?: unknown };
    if (typeof message !== "string" || P.indexOf(message, "\n") === -1) return 0;
    const at = P.indexOf(stack, message);
    return at === -1 ? 0 : at + message.length;
  }

  /** Lines of the stack that name the script, one a line. */
  function frames(error: Error): string {
    const stack = (error as { stack?: unknown }).stack;
    if (typeof stack !== "string") return "";
    let out = "";
    let from = framesStart(error, stack);
    for (let lines = 0; from < stack.length && lines < 60; lines++) {
      let end = P.indexOf(stack, "\n", from);
      if (end === -1) end = stack.length;
      const line = P.slice(stack, from, end);
      from = end + 1;
      if (P.indexOf(line, "    at ") !== 0 || P.indexOf(line, FRAME) === -1) continue;
      out += (out === "" ? "" : "\n") + line;
    }
    return out;
  }

  /** The line of the script's innermost frame, in digits. */
  function lineOf(site: Error): string {
    const stack = (site as { stack?: unknown }).stack;
    if (typeof stack !== "string") return "0";
    for (let from = 0; from < stack.length;) {
      let end = P.indexOf(stack, "\n", from);
      if (end === -1) end = stack.length;
      const place = P.regexpExec(PLACE, P.slice(stack, from, end));
      if (place !== null) return place[1] as string;
      from = end + 1;
    }
    return "0";
  }

  return { frames, lineOf };
}

export type Frames = ReturnType<typeof makeFrames>;
