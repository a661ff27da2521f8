/** What is left of a stream of bytes: all of it, or its head and its tail. */
export interface ByteWindowContent {
  readonly head: Uint8Array;
  /** Empty when nothing was omitted. */
  readonly tail: Uint8Array;
  /** Every byte that was written, kept or not. */
  readonly totalBytes: number;
  /** Line feeds among all bytes. */
  readonly totalLines: number;
  readonly omittedBytes: number;
}

/** Keeps the first and the last bytes of a stream in a memory that does not grow with it (contract A12). */
export interface ByteWindow {
  write(chunk: Uint8Array): void;
  read(): ByteWindowContent;
}

/** Up to `maxBytes` are kept whole; of a longer stream, the first and the last half of that. */
export function createByteWindow(maxBytes: number): ByteWindow {
  const headMax = Math.ceil(maxBytes / 2);
  const tailMax = Math.floor(maxBytes / 2);
  const head: Uint8Array[] = [];
  let headBytes = 0;
  // A ring: chunks are copied in, so that one small view never keeps a large buffer alive.
  let ring = new Uint8Array(0);
  let ringStart = 0;
  let ringBytes = 0;
  let totalBytes = 0;
  let totalLines = 0;

  function grow(needed: number): void {
    if (needed <= ring.length) return;
    const next = new Uint8Array(Math.min(tailMax, Math.max(needed, ring.length * 2, 4096)));
    const kept = unroll();
    next.set(kept);
    ring = next;
    ringStart = 0;
  }

  function unroll(): Uint8Array {
    const out = new Uint8Array(ringBytes);
    const first = Math.min(ringBytes, ring.length - ringStart);
    out.set(ring.subarray(ringStart, ringStart + first));
    out.set(ring.subarray(0, ringBytes - first), first);
    return out;
  }

  function writeTail(chunk: Uint8Array): void {
    if (tailMax === 0) return;
    const bytes = chunk.length > tailMax ? chunk.subarray(chunk.length - tailMax) : chunk;
    grow(Math.min(tailMax, ringBytes + bytes.length));
    const at = (ringStart + ringBytes) % ring.length;
    const first = Math.min(bytes.length, ring.length - at);
    ring.set(bytes.subarray(0, first), at);
    ring.set(bytes.subarray(first), 0);
    const over = Math.max(0, ringBytes + bytes.length - ring.length);
    ringStart = (ringStart + over) % ring.length;
    ringBytes += bytes.length - over;
  }

  return {
    write(chunk) {
      totalBytes += chunk.length;
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) totalLines += 1;
      const room = Math.min(headMax - headBytes, chunk.length);
      if (room > 0) {
        head.push(chunk.slice(0, room));
        headBytes += room;
      }
      if (room < chunk.length) writeTail(chunk.subarray(Math.max(0, room)));
    },
    read() {
      const headOut = concat(head, headBytes);
      const tail = unroll();
      const omittedBytes = totalBytes - headBytes - ringBytes;
      if (omittedBytes > 0) return { head: headOut, tail, totalBytes, totalLines, omittedBytes };
      return {
        head: concat([headOut, tail], headBytes + ringBytes),
        tail: new Uint8Array(0),
        totalBytes,
        totalLines,
        omittedBytes: 0,
      };
    },
  };
}

function concat(parts: readonly Uint8Array[], length: number): Uint8Array {
  const out = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
