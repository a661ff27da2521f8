import type { JsonValue } from "@nestbox/tool";

/** Longest string that a log keeps; the rest is cut and its size said. */
export const MAX_LOGGED_CHARS = 4_096;
/** Longest string that is searched for secrets; what lies beyond is not kept at all. */
const MAX_SEARCHED_CHARS = 65_536;
/** Most values of one call that a log keeps. */
const MAX_LOGGED_VALUES = 1_000;

const REDACTED = "[redacted]";

const SECRET_KEY =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase)?|secret|token|auth|authorization|api[_-]?key|apikey|private[_-]?key|access[_-]?key|credentials?|cookie|session[_-]?id)(?:$|[_.-])|(?:password|passphrase|secret|token|apikey|privatekey|accesskey)$/i;

// Each pattern is linear: a fixed start and one bounded run of characters.
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
    REDACTED,
  ],
  [/\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{16,200}/g, REDACTED],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AIza)[A-Za-z0-9_-]{10,250}/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\beyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{0,2000}/g, REDACTED],
  [/\b(Bearer|Basic|Token)\s{1,4}[A-Za-z0-9._~+/=-]{8,4000}/gi, `$1 ${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/gi, `$1${REDACTED}@`],
  [
    /\b([A-Za-z0-9_]{0,60}(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CREDENTIALS?)[A-Za-z0-9_]{0,20})(\s{0,4}[=:]\s{0,4})("[^"]{1,4000}"|'[^']{1,4000}'|[^\s"';&|]{1,4000})/gi,
    `$1$2${REDACTED}`,
  ],
  [
    /(--?(?:password|passwd|passphrase|token|secret|api-key|access-key|auth|client-secret)(?:=|\s{1,4}))("[^"]{1,4000}"|'[^']{1,4000}'|[^\s"';&|]{1,4000})/gi,
    `$1${REDACTED}`,
  ],
];

/** Takes what looks like a secret out of a text. A best effort: what has no shape cannot be seen. */
export function redactText(text: string): string {
  const kept = text.length > MAX_SEARCHED_CHARS ? text.slice(0, MAX_SEARCHED_CHARS) : text;
  let out = kept;
  for (const [pattern, replacement] of SECRET_TEXT) out = out.replace(pattern, replacement);
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
    if (typeof item === "string") return SECRET_KEY.test(key) ? REDACTED : redactText(item);
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
