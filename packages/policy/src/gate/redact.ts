import { isSecretKey, redactForRecord, type JsonValue } from "@nestbox/tool";

import { redactCommand } from "./command-secrets.ts";

/** Longest string that a log keeps; the rest is cut and its size said. */
export const MAX_LOGGED_CHARS = 4_096;
/** Longest string that is searched for secrets; what lies beyond is not kept at all. */
const MAX_SEARCHED_CHARS = 65_536;
/** Most values of one call that a log keeps. */
const MAX_LOGGED_VALUES = 1_000;

/** Takes what looks like a secret out of a text. A best effort: what has no shape cannot be seen. */
export function redactText(text: string): string {
  const kept = text.length > MAX_SEARCHED_CHARS ? text.slice(0, MAX_SEARCHED_CHARS) : text;
  const out = redactForRecord(redactCommand(kept));
  if (out.length > MAX_LOGGED_CHARS || kept.length < text.length) {
    return `${out.slice(0, MAX_LOGGED_CHARS)} […${text.length} characters in all]`;
  }
  return out;
}

/** A copy of arguments that a log may keep: secrets out, long strings cut, at most 1,000 values. */
export function redact(value: JsonValue): JsonValue {
  let values = 0;
  const visit = (item: JsonValue, secret: boolean): JsonValue => {
    values += 1;
    if (values > MAX_LOGGED_VALUES) return "[…]";
    if (typeof item === "string") return secret ? "[redacted]" : redactText(item);
    if (item === null || typeof item !== "object") return item;
    if (Array.isArray(item)) {
      const list: readonly JsonValue[] = item;
      return list.slice(0, MAX_LOGGED_VALUES).map((entry) => visit(entry, secret));
    }
    // `{ "name": "API_KEY", "value": "…" }` names its secret beside it.
    const named = Object.entries(item).some(
      ([key, entry]) => /^(name|key|variable)$/i.test(key) && typeof entry === "string" && isSecret(entry),
    );
    const entries: [string, JsonValue][] = [];
    for (const [name, entry] of Object.entries(item)) {
      if (values > MAX_LOGGED_VALUES) break;
      const told = secret || isSecret(name) || (named && /^(value|data|content)$/i.test(name));
      entries.push([redactText(name), visit(entry, told)]);
    }
    return Object.fromEntries(entries);
  };
  return visit(value, false);
}

/** Also several of them: `passwords`. */
function isSecret(key: string): boolean {
  return isSecretKey(key) || (/[^s]s$/i.test(key) && isSecretKey(key.slice(0, -1)));
}
