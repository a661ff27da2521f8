import type { Primordials } from "./primordials.ts";

/** Text, or bytes of their own. */
export type Segment = string | Uint8Array;

/** Hands text and segments to the sandbox process at once, in the middle of a turn. */
export type Emit = (text: string, ...segments: readonly Segment[]) => void;

/**
 * What waits to leave the isolate: rows of a JSON array, and long strings and bytes as segments beside it, so that
 * nothing is quoted twice.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeQueue(P: Primordials, emit: Emit) {
  "use strict";
  const EARLY_FLUSHES = 64;
  const FLUSH_CHARS = 256 * 1024;
  const FLUSH_MS = 50;

  let rows = P.list<string>();
  let rowCount = 0;
  let segments = P.list<Segment>();
  let segmentCount = 0;
  let queuedChars = 0;
  let flushes = 0;
  let lastFlush = 0;

  function push(row: string): void {
    rows[rowCount++] = row;
    queuedChars += row.length;
  }

  function segment(text: Segment): number {
    segments[segmentCount] = text;
    if (typeof text === "string") queuedChars += text.length;
    return segmentCount++;
  }

  /** The queued rows as text; the segments stay until `take` has fetched them. */
  function rowsText(): string {
    let text = "[";
    for (let i = 0; i < rowCount; i++) text += i === 0 ? rows[i] : "," + rows[i];
    rows = P.list();
    rowCount = 0;
    queuedChars = 0;
    return text + "]";
  }

  /** Sends what is queued at once. */
  function flush(): void {
    if (rowCount === 0) return;
    flushes++;
    lastFlush = P.dateNow();
    const args = P.list<Segment>();
    for (let i = 0; i < segmentCount; i++) args[i + 1] = segments[i] as Segment;
    args[0] = '{"r":' + rowsText() + "}";
    segments = P.list();
    segmentCount = 0;
    P.apply(emit, undefined, args);
  }

  function take(index: number): string {
    const text = segments[index] as string;
    if (index === segmentCount - 1) {
      segments = P.list();
      segmentCount = 0;
    }
    return text;
  }

  return {
    push,
    segment,
    rowsText,
    flush,
    take,
    chars: (): number => queuedChars,
    segments: (): number => segmentCount,
    /** Whether output should not wait for the end of the turn: the first always, later by size and time. */
    isDue: (): boolean =>
      flushes < EARLY_FLUSHES || queuedChars > FLUSH_CHARS || P.dateNow() - lastFlush > FLUSH_MS,
  };
}

export type Queue = ReturnType<typeof makeQueue>;
