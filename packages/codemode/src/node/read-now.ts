import { readSync, writeSync } from "node:fs";

/** Reads a non-blocking descriptor: bytes read, 0 at the end, -1 when there is nothing. */
export function readNow(fd: number, buffer: Buffer): number {
  const limit = Error.stackTraceLimit;
  // "Nothing there" comes as an exception: it is made cheap.
  Error.stackTraceLimit = 0;
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EAGAIN" ? -1 : 0;
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/**
 * Writes to a non-blocking descriptor until all is written, an error, no room for `roomMs`, or `end` (of
 * `performance.now()`) is over: the bytes written.
 */
export function writeNow(fd: number, buffer: Buffer, roomMs: number, end = Number.POSITIVE_INFINITY): number {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  let at = 0;
  try {
    for (let last = Math.min(end, performance.now() + roomMs); at < buffer.length;) {
      try {
        at += writeSync(fd, buffer, at);
        const now = performance.now();
        if (now > end) return at;
        last = Math.min(end, now + roomMs);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || performance.now() > last) return at;
      }
    }
  } finally {
    Error.stackTraceLimit = limit;
  }
  return at;
}
