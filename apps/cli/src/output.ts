import type { Readable, Writable } from "node:stream";

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

/** One line of JSON, the last one that a `--json` command writes. */
export function writeJsonLine(streams: Streams, value: unknown): void {
  streams.stdout.write(`${JSON.stringify(value)}\n`);
}
