import { cutHeadBytes, cutTailBytes, omissionMarker } from "./cut.ts";

/** Pi's limits for text that a model reads (contract A12). */
export const modelTextLimits = { maxBytes: 50 * 1024, maxLines: 2000 } as const;
/** Limit for text in structured content: the first and the last 512 KiB of a longer one (contract A12). */
export const structuredTextMaxBytes = 1024 * 1024;

export interface TruncateOptions {
  /** UTF-8 bytes of what is left, the marker included. Default 50 KiB. */
  readonly maxBytes?: number;
  /** Lines of what is left, the marker included. Default 2,000. */
  readonly maxLines?: number;
  /** Which end is kept. Default: both. */
  readonly keep?: "ends" | "head" | "tail";
  /** Named in the marker. */
  readonly fullOutputPath?: string;
  readonly fullOutputIncomplete?: boolean;
  /** Bytes of the complete text, where this one was cut before: what the marker counts from. */
  readonly completeBytes?: number;
}

export interface TruncatedText {
  readonly text: string;
  readonly truncated: boolean;
  readonly totalBytes: number;
  /** A last line without a line feed counts. */
  readonly totalLines: number;
}

/**
 * Cuts a text to a number of bytes and of lines around a marker that says how much is gone and where it is. Whole
 * lines where a limit leaves one, whole characters always.
 */
export function truncateText(text: string, options: TruncateOptions = {}): TruncatedText {
  const { maxBytes = modelTextLimits.maxBytes, maxLines = modelTextLimits.maxLines, keep = "ends" } = options;
  const { bytes: totalBytes, lines: totalLines } = measure(text);
  if (totalBytes <= maxBytes && totalLines <= maxLines)
    return { text, truncated: false, totalBytes, totalLines };

  const complete = options.completeBytes ?? totalBytes;
  const marker = (omittedBytes: number, omittedLines: number): string =>
    omissionMarker({
      omittedBytes,
      // The lines of what an earlier cut took out are not known here.
      ...(options.completeBytes === undefined ? { omittedLines } : {}),
      ...(options.fullOutputPath === undefined ? {} : { fullOutputPath: options.fullOutputPath }),
      ...(options.fullOutputIncomplete === undefined
        ? {}
        : { fullOutputIncomplete: options.fullOutputIncomplete }),
    });
  // The marker is longest when it counts everything; two line feeds set it apart.
  const room = Math.max(0, maxBytes - measure(marker(complete, totalLines)).bytes - 2);
  const lines = Math.max(0, maxLines - 1);
  const share = keep === "ends" ? 0.5 : 1;
  const head = keep === "tail" ? "" : headOf(text, Math.ceil(room * share), Math.ceil(lines * share));
  const tail = keep === "head" ? "" : tailOf(text, Math.floor(room * share), Math.floor(lines * share));
  const kept = { head: measure(head), tail: measure(tail) };
  const omittedLines = Math.max(1, totalLines - kept.head.lines - kept.tail.lines);
  const middle = marker(complete - kept.head.bytes - kept.tail.bytes, omittedLines);
  const before = head === "" || head.endsWith("\n") ? head : `${head}\n`;
  return {
    text: `${before}${middle}${tail === "" ? "" : `\n${tail}`}`,
    truncated: true,
    totalBytes,
    totalLines,
  };
}

/** The first `max` characters (UTF-16 units) of a one-line text, whole characters only, with `…` where it was cut. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const end = max - 1;
  return `${text.slice(0, isHighSurrogate(text, end - 1) ? end - 1 : end)}…`;
}

function headOf(text: string, maxBytes: number, maxLines: number): string {
  let end = 0;
  for (let line = 0; line < maxLines && end < text.length; line += 1) {
    const at = text.indexOf("\n", end);
    end = at === -1 ? text.length : at + 1;
    if (end > maxBytes) break;
  }
  // A byte holds at most one UTF-16 unit: what is beyond `maxBytes` units cannot fit.
  const cut = Math.min(end, maxBytes);
  const units = text.slice(0, cut < text.length && isHighSurrogate(text, cut - 1) ? cut - 1 : cut);
  const bytes = encode(units);
  if (bytes.length <= maxBytes && cut === end) return units;
  return decode(cutHeadBytes(bytes.subarray(0, maxBytes)));
}

function tailOf(text: string, maxBytes: number, maxLines: number): string {
  let start = text.length;
  for (let line = 0; line < maxLines && start > 0; line += 1) {
    // The line feed that ends the line before: look left of the one that ends this line.
    start = text.lastIndexOf("\n", start - 2) + 1;
    if (text.length - start > maxBytes || start <= 1) break;
  }
  if (maxLines === 0) return "";
  const from = Math.max(start, text.length - maxBytes);
  const units = text.slice(isLowSurrogate(text, from) ? from + 1 : from);
  const bytes = encode(units);
  if (bytes.length <= maxBytes && from === start) return units;
  return decode(cutTailBytes(bytes.subarray(Math.max(0, bytes.length - maxBytes))));
}

/** UTF-8 bytes and lines of a text, without making a copy of it. */
export function measure(text: string): { readonly bytes: number; readonly lines: number } {
  let bytes = 0;
  let lines = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit === 10) lines += 1;
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHighSurrogate(text, index) && isLowSurrogate(text, index + 1)) {
      bytes += 4;
      index += 1;
    } else bytes += 3;
  }
  return { bytes, lines: text === "" || text.endsWith("\n") ? lines : lines + 1 };
}

function isHighSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit < 0xdc00;
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit < 0xe000;
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
