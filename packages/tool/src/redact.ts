import type { JsonValue } from "./json.ts";

/** Takes secrets and private paths out of a text (contract B10). Never throws. */
export type Redactor = (text: string) => string;

/** One kind of secret. */
export interface RedactionRule {
  /** Stands in the replacement: `[redacted: github-token]`. */
  readonly kind: string;
  /**
   * Global. Its named group `secret` is what is replaced (nothing, where the group took no part in the match), or the
   * whole match without such a group. Keep it linear: no repetition inside a repetition, and a bound on every run
   * before a fixed part.
   */
  readonly pattern: RegExp;
}

export interface RedactorOptions {
  /** Your own patterns; they run first. */
  readonly rules?: readonly RedactionRule[];
  /** Exact values that must not show, for example a key that was just read. Shorter than 6 characters: ignored. */
  readonly values?: readonly string[];
  /** Home folders that become `~`. Those under `/home`, `/Users` and `C:\Users` become it without being named. */
  readonly homes?: readonly string[];
}

/**
 * The token kinds that are common enough to be recognised by shape alone. Every pattern begins with a fixed text
 * and repeats one class, so that time grows with the length of the text and no faster.
 */
export const redactionRules: readonly RedactionRule[] = [
  {
    kind: "private-key",
    // The end is optional: a block that was cut off is as secret as a whole one.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.-]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=\s\\:,.-]))/g,
  },
  { kind: "github-token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  { kind: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}/g },
  { kind: "aws-key-id", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  {
    kind: "aws-secret",
    pattern:
      /\baws_?(?:secret_?access_?key|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?(?<secret>[A-Za-z0-9+/=]{16,2048})/gi,
  },
  { kind: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  {
    kind: "slack-webhook",
    pattern: /\bhooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/_-]{20,255})/g,
  },
  { kind: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{30,255}/g },
  {
    kind: "npm-token",
    pattern: /\b_(?:authToken|auth|password)\s{0,8}=\s{0,8}["']?(?<secret>[^\s"']{6,2048})/g,
  },
  { kind: "pypi-token", pattern: /\bpypi-[A-Za-z0-9_-]{30,2048}/g },
  { kind: "api-key", pattern: /\bsk-[A-Za-z0-9_-]{20,512}/g },
  { kind: "api-key", pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}/g },
  { kind: "google-key", pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: "google-token", pattern: /\bya29\.[A-Za-z0-9_-]{20,2048}/g },
  { kind: "huggingface-token", pattern: /\bhf_[A-Za-z0-9]{30,255}/g },
  {
    kind: "jwt",
    pattern: /\beyJ[A-Za-z0-9_-]{8,1024}\.eyJ[A-Za-z0-9_-]{4,16384}(?:\.[A-Za-z0-9_-]{0,8192})?/g,
  },
  {
    kind: "authorization",
    pattern:
      /\b(?:proxy-)?authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,8})?(?<secret>[^\s"',;]{4,8192})/gi,
  },
  { kind: "bearer", pattern: /\bbearer\s{1,8}(?<secret>[A-Za-z0-9._~+/=-]{16,8192})/gi },
  {
    kind: "header",
    pattern:
      /\b(?:x-api-key|api-key|x-auth-token|x-access-token|x-csrf-token|private-token|cookie|set-cookie)["']?\s{0,8}:\s{0,8}["']?(?<secret>[^\r\n"']{4,8192})/gi,
  },
  {
    kind: "url-credentials",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s/?#@:"'<>]{0,1024}(?::[^\s/?#@"'<>]{0,1024})?)@/gi,
  },
  {
    kind: "assigned-secret",
    pattern:
      /(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key|client_?secret)["']?\s{0,8}[:=]\s{0,8}["']?(?:[\w.]{1,200}\(|(?<secret>[^\s"',;{}[\]()<>]{8,2048}))/gi,
  },
];

const homePatterns: readonly RegExp[] = [
  /(?<![\w.-])\/(?:home|Users)\/[^\s/\\:"'`<>|,;()[\]{}]{1,64}/g,
  /\b[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[^\s/\\:"'`<>|,;()[\]{}]{1,64}/gi,
];

/** Makes a redactor out of the common kinds, your own patterns and values, and home folders. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const rules = [...(options.rules ?? []), ...redactionRules];
  // The longest first: one value may begin with another.
  const values = (options.values ?? [])
    .filter((value) => value.length >= 6)
    .sort((a, b) => b.length - a.length);
  const homes = (options.homes ?? [])
    .map((home) => home.replace(/[\\/]+$/, ""))
    .filter((home) => home.length > 1);
  return (text) => {
    let out = text;
    for (const value of values) out = out.replaceAll(value, "[redacted: value]");
    for (const { kind, pattern } of rules) out = replaceSecret(out, kind, pattern);
    for (const home of homes) out = replaceHome(out, home);
    for (const pattern of homePatterns) out = out.replace(pattern, "~");
    return out;
  };
}

/** Applies a redactor to every string of a JSON value, keys included. */
export function redactJson(value: JsonValue, redact: Redactor): JsonValue {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => redactJson(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redact(key), redactJson(item, redact)]),
  );
}

function replaceSecret(text: string, kind: string, pattern: RegExp): string {
  const mask = `[redacted: ${kind}]`;
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const groups: unknown = rest.at(-1);
    if (typeof groups !== "object" || groups === null || !("secret" in groups)) return mask;
    const { secret } = groups;
    // A call in code, `password = read()`, is no secret.
    if (typeof secret !== "string") return match;
    // What an earlier rule has masked stays told by its kind.
    if (secret.startsWith("[redacted")) return match;
    const at = match.lastIndexOf(secret);
    return `${match.slice(0, at)}${mask}${match.slice(at + secret.length)}`;
  });
}

function replaceHome(text: string, home: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf(home); at !== -1; at = text.indexOf(home, from)) {
    const end = at + home.length;
    const next = text[end];
    // `/root` is not the start of `/rootless`.
    const whole = next === undefined || !/[\w-]/.test(next);
    out += text.slice(from, at) + (whole ? "~" : home);
    from = end;
  }
  return out + text.slice(from);
}
