/**
 * The wire between host and sandbox process: length, type, run, a header of JSON text, then long strings and bytes
 * as raw segments, so that no JSON stands inside JSON, a large string crosses once and no bytes become base64.
 *
 * `u32 length of the rest · u8 type · u32 run · u32 header bytes · header (UTF-8) · { u8 encoding · u32 bytes · data }…`
 */
export const FRAME = {
  /** To the sandbox. */
  tools: 1,
  start: 2,
  answers: 3,
  tick: 4,
  stop: 5,
  prepare: 6,
  /** From the sandbox. */
  ready: 16,
  turn: 17,
  early: 18,
  ended: 19,
} as const;

/** What stands beside a header: text, or bytes of its own. */
export type Segment = string | Uint8Array;

export interface Frame {
  readonly type: number;
  /** Number of the script's run, so that a late frame of another script is recognised; 0 outside a run. */
  readonly run: number;
  readonly header: string;
  readonly segments: readonly Segment[];
}

const HEAD_BYTES = 13;
const SEGMENT_HEAD_BYTES = 5;
const LATIN1 = 0;
const UTF16 = 1;
const BYTES = 2;

export class FrameError extends Error {
  override readonly name = "FrameError";
}

/** The size of a frame that is larger than `maxBytes`; undefined for one that fits. */
export function oversize(
  maxBytes: number,
  header: string,
  segments: readonly Segment[] = [],
): number | undefined {
  // No character takes more than three bytes, or two in a segment: nearly all frames need no closer look.
  let most = HEAD_BYTES + header.length * 3;
  for (const segment of segments) most += SEGMENT_HEAD_BYTES + segment.length * 2;
  if (most <= maxBytes) return undefined;
  let size = HEAD_BYTES + Buffer.byteLength(header, "utf8");
  for (const segment of segments) size += SEGMENT_HEAD_BYTES + segmentBytes(segment, encodingOf(segment));
  return size > maxBytes ? size : undefined;
}

/** Equal byte and unit counts mean ASCII; any other text crosses as UTF-16, lone surrogates included. */
function encodingOf(segment: Segment): number {
  if (typeof segment !== "string") return BYTES;
  return Buffer.byteLength(segment, "utf8") === segment.length ? LATIN1 : UTF16;
}

const segmentBytes = (segment: Segment, encoding: number): number =>
  encoding === UTF16 ? segment.length * 2 : segment.length;

/** Encodes a frame into one buffer. */
export function encodeFrame(
  type: number,
  run: number,
  header: string,
  segments: readonly Segment[] = [],
): Buffer {
  const headerBytes = Buffer.byteLength(header, "utf8");
  let size = HEAD_BYTES + headerBytes;
  const encodings: number[] = [];
  for (const segment of segments) {
    const encoding = encodingOf(segment);
    encodings.push(encoding);
    size += SEGMENT_HEAD_BYTES + segmentBytes(segment, encoding);
  }
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeUInt32LE(size - 4, 0);
  buffer.writeUInt8(type, 4);
  buffer.writeUInt32LE(run, 5);
  buffer.writeUInt32LE(headerBytes, 9);
  buffer.write(header, HEAD_BYTES, "utf8");
  let at = HEAD_BYTES + headerBytes;
  for (const [index, segment] of segments.entries()) {
    const encoding = encodings[index] as number;
    const bytes = segmentBytes(segment, encoding);
    buffer.writeUInt8(encoding, at);
    buffer.writeUInt32LE(bytes, at + 1);
    at += SEGMENT_HEAD_BYTES;
    if (typeof segment === "string") buffer.write(segment, at, encoding === LATIN1 ? "latin1" : "utf16le");
    else buffer.set(segment, at);
    at += bytes;
  }
  return buffer;
}

/** Pieces of a large segment: about what the system's buffer of a pipe takes at once. */
export const CHUNK_BYTES = 192 * 1024;

/** Whether a frame with these segments goes in pieces of this size. */
export const isChunked = (segments: readonly Segment[], chunkBytes: number): boolean =>
  segments.some((segment) => segment.length >= chunkBytes);

/**
 * The same bytes, those of a segment that is larger than the buffer in pieces that use it: the other side reads the
 * first while the next is written, and no memory as large as the frame is touched. A piece is good until the next is
 * asked for.
 */
export function* frameChunks(
  type: number,
  run: number,
  header: string,
  segments: readonly Segment[],
  buffer: Buffer,
): Generator<Buffer> {
  if (!isChunked(segments, buffer.length)) {
    yield encodeFrame(type, run, header, segments);
    return;
  }
  const head = encodeFrame(type, run, header);
  let size = head.length;
  const encoded = segments.map((segment) => {
    const encoding = encodingOf(segment);
    const bytes = segmentBytes(segment, encoding);
    size += SEGMENT_HEAD_BYTES + bytes;
    return { segment, encoding, bytes };
  });
  head.writeUInt32LE(size - 4, 0);
  yield head;
  for (const { segment, encoding, bytes } of encoded) {
    const segmentHead = Buffer.allocUnsafe(SEGMENT_HEAD_BYTES);
    segmentHead.writeUInt8(encoding, 0);
    segmentHead.writeUInt32LE(bytes, 1);
    yield segmentHead;
    const step = encoding === UTF16 ? buffer.length >> 1 : buffer.length;
    for (let at = 0; at < segment.length; at += step) {
      if (typeof segment !== "string")
        yield Buffer.from(segment.buffer, segment.byteOffset + at, Math.min(step, segment.length - at));
      else
        yield buffer.subarray(
          0,
          buffer.write(segment.slice(at, at + step), encoding === LATIN1 ? "latin1" : "utf16le"),
        );
    }
  }
}

/** Puts frames together from chunks; throws {@link FrameError} for one that is malformed or over the limit. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #onFrame: (frame: Frame) => void;
  #pending: Buffer | undefined;
  #filled = 0;

  constructor(maxBytes: number, onFrame: (frame: Frame) => void) {
    this.#maxBytes = maxBytes;
    this.#onFrame = onFrame;
  }

  /** Whether a frame has begun and not ended. */
  get isPartial(): boolean {
    return this.#pending !== undefined;
  }

  /** The chunk may be reused by the caller after this returns. */
  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      const pending = this.#pending;
      if (pending === undefined) {
        if (rest.length < 4) {
          this.#hold(rest, 4);
          return;
        }
        const size = this.#sizeOf(rest);
        if (rest.length < size) {
          this.#hold(rest, size);
          return;
        }
        this.#onFrame(decodeFrame(rest.subarray(0, size)));
        rest = rest.subarray(size);
        continue;
      }
      const taken = Math.min(pending.length - this.#filled, rest.length);
      rest.copy(pending, this.#filled, 0, taken);
      this.#filled += taken;
      rest = rest.subarray(taken);
      if (this.#filled < pending.length) return;
      this.#pending = undefined;
      if (pending.length === 4) {
        this.#hold(pending, this.#sizeOf(pending));
        continue;
      }
      this.#onFrame(decodeFrame(pending));
    }
  }

  #sizeOf(head: Buffer): number {
    const size = head.readUInt32LE(0) + 4;
    if (size < HEAD_BYTES) throw new FrameError(`A frame of ${size} bytes is too short`);
    if (size > this.#maxBytes) {
      throw new FrameError(`A frame of ${size} bytes is larger than the limit of ${this.#maxBytes}`);
    }
    return size;
  }

  #hold(start: Buffer, size: number): void {
    const buffer = Buffer.allocUnsafe(size);
    start.copy(buffer, 0);
    this.#pending = buffer;
    this.#filled = start.length;
  }
}

function decodeFrame(buffer: Buffer): Frame {
  const headerBytes = buffer.readUInt32LE(9);
  let at = HEAD_BYTES + headerBytes;
  if (at > buffer.length) throw new FrameError("A frame's header is longer than the frame");
  const header = buffer.toString("utf8", HEAD_BYTES, at);
  const segments: Segment[] = [];
  while (at < buffer.length) {
    if (at + SEGMENT_HEAD_BYTES > buffer.length) throw new FrameError("A segment is cut off");
    const encoding = buffer.readUInt8(at);
    const bytes = buffer.readUInt32LE(at + 1);
    at += SEGMENT_HEAD_BYTES;
    if (at + bytes > buffer.length) throw new FrameError("A segment is longer than its frame");
    if (encoding === LATIN1) segments.push(buffer.toString("latin1", at, at + bytes));
    // A copy: the chunk is used again.
    else if (encoding === BYTES) segments.push(new Uint8Array(buffer.subarray(at, at + bytes)));
    else if (encoding === UTF16 && bytes % 2 === 0) segments.push(buffer.toString("utf16le", at, at + bytes));
    else throw new FrameError("A segment has an unknown encoding");
    at += bytes;
  }
  return { type: buffer.readUInt8(4), run: buffer.readUInt32LE(5), header, segments };
}
