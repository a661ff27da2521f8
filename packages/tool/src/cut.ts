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

/** The head of a cut text: whole lines when it has any, whole characters in any case. */
export function cutHeadBytes(bytes: Uint8Array): Uint8Array {
  const line = bytes.lastIndexOf(10);
  return line === -1 ? bytes.subarray(0, wholeCharactersEnd(bytes)) : bytes.subarray(0, line + 1);
}

/** The tail of a cut text: whole lines when it has any, whole characters in any case. */
export function cutTailBytes(bytes: Uint8Array): Uint8Array {
  const line = bytes.indexOf(10);
  // A tail whose only line feed is its last byte holds no whole line: keep its characters.
  if (line === -1 || line === bytes.length - 1) return bytes.subarray(wholeCharactersStart(bytes));
  return bytes.subarray(line + 1);
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
