import { EventEmitter } from "node:events";
import { PassThrough, Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import { tellUnfinished } from "../src/unfinished.ts";

/** A process that ends with this code in the middle of its command. */
function endsWith(code: number, ended = new AbortController().signal) {
  const running = Object.assign(new EventEmitter(), { exitCode: undefined as number | undefined });
  const stderr = new PassThrough({ encoding: "utf8" });
  const streams = { stdin: Readable.from([]), stdout: new PassThrough(), stderr };
  tellUnfinished(running as never, streams, false, ended);
  running.emit("exit", code);
  return { exitCode: running.exitCode, said: String(stderr.read() ?? "") };
}

describe("an end that a command has not come to", () => {
  it.each([0, 1, 130])("is told as what a tool did, and is no success: code %i", (code) => {
    const { exitCode, said } = endsWith(code);
    expect(said).toContain(`process.exit, code ${code}`);
    expect(exitCode).toBeGreaterThan(0);
    expect(exitCode).not.toBe(130);
  });

  it("is the command's own once it was told to end, as a worker does at the second signal", () => {
    expect(endsWith(130, AbortSignal.abort())).toEqual({ exitCode: undefined, said: "" });
    expect(endsWith(0, AbortSignal.abort()).said).toContain("process.exit, code 0");
  });
});
