import type { Readable, Writable } from "node:stream";

/** Where a command reads and writes; injected, so that tests need no process. */
export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
}

/** One line of JSON, the last one that a `--json` command writes. */
export function writeJsonLine(streams: Streams, value: unknown): void {
  streams.stdout.write(`${JSON.stringify(value)}\n`);
}
