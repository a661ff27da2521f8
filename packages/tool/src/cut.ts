/** The end of the last whole UTF-8 character in `bytes`. */
function wholeCharactersEnd(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  // A character has at most four bytes; its first byte says how many.
  for (let back = 0; back < 4 && start >= 0; back += 1, start -= 1) {
    const byte = bytes[start] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return start + size <= bytes.length ? bytes.length : start;
  }
  return bytes.length;
}

/** The start of the first whole UTF-8 character in `bytes`. */
function wholeCharactersStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 4 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start < 4 ? start : 0;
}

/**
 * Bytes of a line that was cut in two which are given up so that whole lines are kept: nobody takes the rest of a line
 * for a line. What is longer is kept: one enormous line must not cost all that there was room for.
 */
const givenUpMaxBytes = 2048;

/** The head of a cut text: whole lines where that costs little, whole characters in any case. */
export function cutHeadBytes(bytes: Uint8Array): Uint8Array {
  const end = bytes.lastIndexOf(10) + 1;
  return costsLittle(bytes.length - end, bytes)
    ? bytes.subarray(0, end)
    : bytes.subarray(0, wholeCharactersEnd(bytes));
}

/** The tail of a cut text: whole lines where that costs little, whole characters in any case. */
export function cutTailBytes(bytes: Uint8Array): Uint8Array {
  const start = bytes.indexOf(10) + 1;
  return start > 0 && costsLittle(start, bytes)
    ? bytes.subarray(start)
    : bytes.subarray(wholeCharactersStart(bytes));
}

function costsLittle(givenUp: number, bytes: Uint8Array): boolean {
  return givenUp <= Math.min(givenUpMaxBytes, bytes.length / 2);
}

/** Where the complete text is, and how much of it is missing here. */
export interface Omission {
  readonly omittedBytes: number;
  /** Absent when only bytes were counted. */
  readonly omittedLines?: number;
  readonly fullOutputPath?: string;
  /** The file ended before the output did. */
  readonly fullOutputIncomplete?: boolean;
}

/** The marker that stands where text was cut (contract A12). */
export function omissionMarker({
  omittedBytes,
  omittedLines,
  fullOutputPath,
  fullOutputIncomplete,
}: Omission): string {
  const lines = omittedLines === undefined ? "" : ` in ${omittedLines} line${omittedLines === 1 ? "" : "s"}`;
  const where =
    fullOutputPath === undefined
      ? ""
      : `; ${fullOutputIncomplete === true ? "as much as was kept" : "complete output"}: ${fullOutputPath}`;
  return `[… ${omittedBytes} bytes${lines} omitted${where} …]`;
}
