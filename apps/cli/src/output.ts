import type { Readable, Writable } from "node:stream";

import { oneLine } from "./report/safe-text.ts";

/** A stream that may be a terminal. */
export interface TextOutput extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Where a command reads and writes; injected, so that tests need no process. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
}

/** Says something on standard error, on one line. */
export function tellOn(streams: Pick<Streams, "stderr">): (message: string) => void {
  return (message) => void streams.stderr.write(`nestbox: ${oneLine(message, 2_000)}\n`);
}

/** One line of JSON, the last one that a `--json` command writes. */
export function writeJsonLine(streams: Streams, value: unknown): void {
  streams.stdout.write(`${JSON.stringify(value)}\n`);
}
