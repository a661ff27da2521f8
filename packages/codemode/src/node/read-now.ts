import { readSync } from "node:fs";

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
