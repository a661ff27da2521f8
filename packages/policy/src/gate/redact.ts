import { isSecretKey, redactForRecord, type JsonValue } from "@nestbox/tool";

/** Longest string that a log keeps; the rest is cut and its size said. */
export const MAX_LOGGED_CHARS = 4_096;
/** Longest string that is searched for secrets; what lies beyond is not kept at all. */
const MAX_SEARCHED_CHARS = 65_536;
/** Most values of one call that a log keeps. */
const MAX_LOGGED_VALUES = 1_000;

/** Takes what looks like a secret out of a text. A best effort: what has no shape cannot be seen. */
export function redactText(text: string): string {
  const kept = text.length > MAX_SEARCHED_CHARS ? text.slice(0, MAX_SEARCHED_CHARS) : text;
  const out = redactForRecord(kept);
  if (out.length > MAX_LOGGED_CHARS || kept.length < text.length) {
    return `${out.slice(0, MAX_LOGGED_CHARS)} […${text.length} characters in all]`;
  }
  return out;
}

/** A copy of arguments that a log may keep: secrets out, long strings cut, at most 1,000 values. */
export function redact(value: JsonValue): JsonValue {
  let values = 0;
  const visit = (item: JsonValue, key: string): JsonValue => {
    values += 1;
    if (values > MAX_LOGGED_VALUES) return "[…]";
    if (typeof item === "string") return isSecretKey(key) ? "[redacted]" : redactText(item);
    if (item === null || typeof item !== "object") return item;
    if (Array.isArray(item)) {
      const list: readonly JsonValue[] = item;
      const out = list.slice(0, MAX_LOGGED_VALUES).map((entry) => visit(entry, key));
      return out;
    }
    const entries: [string, JsonValue][] = [];
    for (const [name, entry] of Object.entries(item)) {
      if (values > MAX_LOGGED_VALUES) break;
      entries.push([redactText(name), visit(entry, name)]);
    }
    return Object.fromEntries(entries);
  };
  return visit(value, "");
}
