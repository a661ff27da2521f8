/**
 * What a sandbox may say. All of it is distrusted: a frame that does not have exactly this shape ends the sandbox,
 * never the host.
 */
import { isRecord } from "../shared/guards.ts";
import type { ScriptErrorKind } from "../types.ts";
import type { Frame, Segment } from "./frames.ts";
import { bytesOf, bytesOfJson } from "./value-bytes.ts";

export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
}

export type Row =
  | {
      readonly kind: "tool";
      readonly id: number;
      readonly tool: number;
      readonly line: number;
      readonly args: SentArgs;
    }
  | {
      readonly kind: "execute";
      readonly id: number;
      readonly name: string;
      readonly line: number;
      readonly args: SentArgs;
    }
  | { readonly kind: "global"; readonly id: number; readonly global: number; readonly args: SentArgs }
  | { readonly kind: "text" | "console"; readonly text: string }
  | { readonly kind: "image"; readonly data: string; readonly mimeType: string }
  | {
      readonly kind: "done";
      readonly value: unknown;
      readonly writes: readonly (readonly [string, string?])[];
    }
  | { readonly kind: "failed"; readonly error: ReportedError }
  | { readonly kind: "warning"; readonly warning: "unhandled-rejection" | "value"; readonly message: string };

/** Arguments as they came: read only when there is room for what they become. */
export interface SentArgs {
  /** Bytes that reading them takes at least. */
  readonly atLeast: number;
  /** Throws {@link ProtocolError}. */
  readonly read: () => { readonly value: unknown; readonly bytes: number };
}

export interface ReportedError {
  readonly kind: ScriptErrorKind;
  readonly name: string;
  readonly message: string;
  readonly frames: string;
  readonly line?: number;
  readonly column?: number;
  readonly lineText?: string;
}

export interface TurnReport {
  readonly rows: readonly Row[];
  readonly inFlight: number;
  readonly wakeMs: number;
  readonly busyMs: number;
  readonly heapBytes?: number;
  readonly rejection?: string;
}

/** What is large stands beside a header; what is in one becomes up to twenty times its size when it is parsed. */
export const MAX_HEADER_CHARS = 16 * 1024 * 1024;
/** Of an error, what the bridge tells at most. */
const MAX_MESSAGE_CHARS = 65_536;
const MAX_NAME_CHARS = 200;
/** Sixty frames, with any names in them that are read. */
const MAX_STACK_CHARS = 262_144;
/** More than the bridge tells of one. */
const MAX_WARNING_CHARS = 4_000;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** A shorter text cannot become much: it is weighed when it has been read, which looks at all of it anyway. */
const SCAN_CHARS = 1024 * 1024;
const REPORTED_KINDS = new Set<string>(["script", "policy", "limit", "timeout", "memory"]);

export interface ReportLimits {
  readonly maxDepth: number;
  /** Bytes that a value may take in this process; what fits into the script's memory takes less. */
  readonly maxValueBytes: number;
}

/** The segments of one report. Each belongs to one row: named twice, a short report would become many large values. */
class Segments {
  readonly #left: (Segment | undefined)[];

  constructor(segments: readonly Segment[]) {
    this.#left = [...segments];
  }

  take(index: unknown): Segment | undefined {
    if (!isCount(index)) return undefined;
    const segment = this.#left[index];
    if (segment !== undefined) this.#left[index] = undefined;
    return segment;
  }
}

/** Reads a `turn` or `early` frame; throws {@link ProtocolError}. */
export function readReport(frame: Frame, limits: ReportLimits): TurnReport {
  if (frame.header.length > MAX_HEADER_CHARS)
    throw new ProtocolError("more in one report than a script says");
  const header: unknown = parse(frame.header);
  if (!isRecord(header) || !Array.isArray(header["r"])) throw new ProtocolError("a report without rows");
  const segments = new Segments(frame.segments);
  const rows = header["r"].map((row: unknown) => readRow(row, segments, limits));
  const { p = 0, w = -1, b = 0, x, h } = header;
  if (!isCount(p) || typeof w !== "number" || !Number.isFinite(w) || !isDuration(b)) {
    throw new ProtocolError("a report with a bad state");
  }
  return {
    rows,
    inFlight: p,
    wakeMs: w,
    busyMs: b,
    ...(isCount(h) ? { heapBytes: h } : {}),
    ...(typeof x === "string" ? { rejection: x.slice(0, MAX_WARNING_CHARS) } : {}),
  };
}

/** Reads an `ended` frame: whether the sandbox should be renewed. */
export function readEnd(frame: Frame): { readonly renew: boolean } {
  const header = parse(frame.header);
  return { renew: isRecord(header) && header["renew"] === true };
}

function readRow(row: unknown, segments: Segments, limits: ReportLimits): Row {
  const { maxDepth } = limits;
  if (!Array.isArray(row)) throw new ProtocolError("a row that is no array");
  const [kind, a, b, c, d] = row as unknown[];
  switch (kind) {
    case 1: {
      if (!isCount(a) || !isCount(b) || !isCount(c)) break;
      return { kind: "tool", id: a, tool: b, line: c, args: readArgs(d, segments, maxDepth) };
    }
    case 2: {
      if (!isCount(a) || typeof b !== "string" || !isCount(c)) break;
      return { kind: "execute", id: a, name: b, line: c, args: readArgs(d, segments, maxDepth) };
    }
    case 3: {
      if (!isCount(a) || !isCount(b)) break;
      return { kind: "global", id: a, global: b, args: readArgs(d, segments, maxDepth) };
    }
    case 4:
      return { kind: "text", text: readText(a, segments) };
    case 5:
      return { kind: "console", text: readText(a, segments) };
    case 6: {
      if (typeof b !== "string" || !IMAGE_TYPES.has(b)) break;
      return { kind: "image", data: readImage(a, segments), mimeType: b };
    }
    case 7:
      return { kind: "done", value: readValue(a, segments, limits), writes: readWrites(b) };
    case 8:
      return { kind: "failed", error: readError(a) };
    case 9: {
      if ((a !== "unhandled-rejection" && a !== "value") || typeof b !== "string") break;
      return { kind: "warning", warning: a, message: b.slice(0, MAX_WARNING_CHARS) };
    }
    default:
      break;
  }
  throw new ProtocolError("a row of an unknown shape");
}

function readArgs(value: unknown, segments: Segments, maxDepth: number): SentArgs {
  if (value === undefined) return { atLeast: 0, read: () => ({ value: undefined, bytes: 0 }) };
  if (Array.isArray(value) && value.length === 1) {
    const sent: unknown = value[0];
    return { atLeast: 0, read: () => weighed(sent, 0, maxDepth) };
  }
  const text = segmentAt(value, segments);
  return {
    atLeast: text.length > SCAN_CHARS ? bytesOfJson(text) : text.length,
    read: () => weighed(parse(text), text.length, maxDepth),
  };
}

/** `chars`: of the text that it was parsed from, which holds its keys and texts; 0 where nothing but the value is known. */
function weighed(value: unknown, chars: number, maxDepth: number): ReturnType<SentArgs["read"]> {
  const bytes = bytesOf(value, maxDepth);
  if (bytes === undefined) throw new ProtocolError("a value that is nested too deeply");
  return { value, bytes: bytes.structure + Math.max(bytes.texts, chars) };
}

function readText(value: unknown, segments: Segments): string {
  return typeof value === "string" ? value : segmentAt(value, segments);
}

/** Base64 of an image, which crosses as text where the script had text and as bytes where it had bytes. */
function readImage(value: unknown, segments: Segments): string {
  const sent = typeof value === "string" ? value : segments.take(value);
  if (sent instanceof Uint8Array)
    return Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength).toString("base64");
  if (sent === undefined || sent.length % 4 !== 0 || !BASE64.test(sent))
    throw new ProtocolError("an image that is no base64");
  return sent;
}

/** `null` nothing, a string itself, `[0, value]`, `[1, string segment]`, `[2, JSON segment]`. */
function readValue(value: unknown, segments: Segments, { maxDepth, maxValueBytes }: ReportLimits): unknown {
  if (value === null) return undefined;
  if (typeof value === "string") return value;
  if (!Array.isArray(value) || value.length !== 2) throw new ProtocolError("a value of an unknown shape");
  if (value[0] === 0) return shallow(value[1], maxDepth);
  if (value[0] === 1) return segmentAt(value[1], segments);
  if (value[0] === 2) {
    const text = segmentAt(value[1], segments);
    if (text.length > SCAN_CHARS && bytesOfJson(text) > maxValueBytes)
      throw new ProtocolError("a value that no script has the memory for");
    return shallow(parse(text), maxDepth);
  }
  throw new ProtocolError("a value of an unknown shape");
}

function readWrites(value: unknown): (readonly [string, string?])[] {
  if (!Array.isArray(value)) throw new ProtocolError("store writes that are no array");
  return value.map((entry: unknown) => {
    if (!Array.isArray(entry) || typeof entry[0] !== "string") throw new ProtocolError("a bad store write");
    if (entry.length === 1) return [entry[0]] as const;
    if (entry.length !== 2 || typeof entry[1] !== "string") throw new ProtocolError("a bad store write");
    parse(entry[1]);
    return [entry[0], entry[1]] as const;
  });
}

function readError(value: unknown): ReportedError {
  if (!isRecord(value)) throw new ProtocolError("an error that is no object");
  const { kind, name = "Error", message, stack = "", line, column, lineText } = value;
  if (typeof kind !== "string" || !REPORTED_KINDS.has(kind))
    throw new ProtocolError("an error of an unknown kind");
  if (typeof name !== "string" || typeof message !== "string" || typeof stack !== "string") {
    throw new ProtocolError("an error without name or message");
  }
  return {
    kind: kind as ScriptErrorKind,
    name: name.slice(0, MAX_NAME_CHARS),
    message: message.slice(0, MAX_MESSAGE_CHARS),
    frames: stack.slice(0, MAX_STACK_CHARS),
    ...(isCount(line) ? { line } : {}),
    ...(isCount(column) ? { column } : {}),
    ...(typeof lineText === "string" ? { lineText: lineText.slice(0, MAX_NAME_CHARS) } : {}),
  };
}

function segmentAt(index: unknown, segments: Segments): string {
  const text = segments.take(index);
  if (typeof text !== "string") throw new ProtocolError("a segment that is not there");
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ProtocolError("text that is no JSON");
  }
}

function shallow(value: unknown, maxDepth: number): unknown {
  if (bytesOf(value, maxDepth) === undefined) throw new ProtocolError("a value that is nested too deeply");
  return value;
}

/** Milliseconds that may have passed: a number that sums stay numbers with. */
function isDuration(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
