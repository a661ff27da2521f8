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

/** How long room is waited for with the core kept: who makes it may have no other. */
const KEEP_MS = 0.05;

/**
 * Writes to a non-blocking descriptor until all is written, an error, no room for `roomMs`, or `end` (of
 * `performance.now()`) is over: the bytes written.
 */
export function writeNow(fd: number, buffer: Buffer, roomMs: number, end = Number.POSITIVE_INFINITY): number {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  let at = 0;
  try {
    for (let since = performance.now(); at < buffer.length;) {
      try {
        at += writeSync(fd, buffer, at);
        since = performance.now();
        if (since > end) return at;
      } catch (error) {
        const now = performance.now();
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return at;
        if (now > Math.min(end, since + roomMs)) return at;
        if (now > since + KEEP_MS) stepAside();
      }
    }
  } finally {
    Error.stackTraceLimit = limit;
  }
  return at;
}

/**
 * A read of this process's input that sleeps in the system until something is there, for when nothing else is to be
 * done meanwhile: waking is then far cheaper than through the event loop. Undefined where a stream cannot be switched.
 */
export function sleepingRead(stream: unknown): ((buffer: Buffer) => number) | undefined {
  const handle = (stream as { _handle?: { fd?: unknown; setBlocking?: unknown } } | null)?._handle;
  const set = handle?.setBlocking;
  const fd = handle?.fd;
  if (process.platform === "win32" || typeof set !== "function" || typeof fd !== "number") return undefined;
  return (buffer) => {
    Reflect.apply(set, handle, [true]);
    try {
      return readNow(fd, buffer);
    } finally {
      Reflect.apply(set, handle, [false]);
    }
  };
}

/** Never written to: it is only waited on. */
const CELL = new Int32Array(new SharedArrayBuffer(4));

/** Leaves the core to others for as short as the system can, some tens of microseconds. */
export function stepAside(): void {
  Atomics.wait(CELL, 0, 0, 0.001);
}
