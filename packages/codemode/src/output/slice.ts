function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/** At most the first `units` UTF-16 units of a text, no character cut in half. */
export function sliceHead(text: string, units: number): string {
  const end = Math.max(0, units);
  return isHigh(text.charCodeAt(end - 1)) && isLow(text.charCodeAt(end))
    ? text.slice(0, end - 1)
    : text.slice(0, end);
}

/** At most the last `units` UTF-16 units of a text, no character cut in half. */
export function sliceTail(text: string, units: number): string {
  if (units <= 0) return "";
  const start = Math.max(0, text.length - units);
  return isLow(text.charCodeAt(start)) && isHigh(text.charCodeAt(start - 1))
    ? text.slice(start + 1)
    : text.slice(start);
}

/** Bytes for people: `512B`, `1.5KB`, `2.0MB`. */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / (1024 * 1024)).toFixed(1)}MB`;
}
