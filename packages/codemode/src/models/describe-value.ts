/** A script's value in a message: `undefined`, `a string`, `an array`, or the keys of an object. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : "an array";
  if (typeof value !== "object") return typeof value === "string" ? "a string" : `a ${typeof value}`;
  const keys = Object.keys(value);
  if (keys.length === 0) return "{}";
  return `{ ${keys.slice(0, 6).join(", ")}${keys.length > 6 ? ", ..." : ""} }`;
}

/** `an image`, `a classifier`. */
export function withArticle(word: string): string {
  return `${/^[aeiou]/.test(word) ? "an" : "a"} ${word}`;
}
