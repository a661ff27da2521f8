import type { JsonValue } from "./json.ts";
import { secretRules, type RedactionRule } from "./secret-rules.ts";

/** Takes secrets and private paths out of a text (contract B10). Never throws. */
export type Redactor = (text: string) => string;

export interface RedactorOptions {
  /** Your own patterns; they run first. */
  readonly rules?: readonly RedactionRule[];
  /**
   * Exact values that must not show, for example a key that was just read; as they are, as in JSON and as in an address.
   * Shorter than 6 characters: ignored.
   */
  readonly values?: readonly string[];
  /** Home folders that become `~`. Those under `/home`, `/Users` and `C:\Users` become it without being named. */
  readonly homes?: readonly string[];
}

const homePatterns: readonly RegExp[] = [
  /(?:(?<![\w.~-])|(?<=(?:^|[\s"'])-[A-Za-z]))\/(?:home|Users)\/[^\s/\\:"'`<>|,;()[\]{}]{1,64}/g,
  /\b[A-Za-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[^\s/\\:"'`<>|,;()[\]{}]{1,64}/gi,
];

/** Makes a redactor out of the common kinds, your own patterns and values, and home folders. */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  const rules = [...(options.rules ?? []), ...secretRules.filter(({ eager }) => eager !== true)];
  // The longest first: one value may begin with another.
  const values = [
    ...new Set((options.values ?? []).filter((value) => value.length >= 6).flatMap(spellings)),
  ].sort((a, b) => b.length - a.length);
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

/**
 * Takes out what may be a secret: the common kinds, and what only looks like one (`--token x`, any `TOKEN=x`). For a
 * record, where taking out too much costs little: the mask tells no kind, and paths stay. Never throws.
 */
export function redactForRecord(text: string): string {
  // Every rule sees the text as it was: what one masks cannot hide from another what stands beside it.
  const spans = secretRules.flatMap(({ pattern }) => secretSpans(text, pattern));
  let out = "";
  let from = 0;
  for (const { start, end } of spans.sort((a, b) => a.start - b.start)) {
    if (start >= from) out += `${text.slice(from, start)}[redacted]`;
    from = Math.max(from, end);
  }
  return out + text.slice(from);
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

/** A value as it is, in JSON and in an address: a key of several lines is seldom printed on several. */
function spellings(value: string): readonly string[] {
  return [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value.toWellFormed())];
}

function replaceSecret(text: string, kind: string, pattern: RegExp): string {
  return text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const secret = secretIn(match, rest.at(-1));
    // What an earlier rule has masked stays told by its kind.
    if (secret === undefined || secret.startsWith("[redacted")) return match;
    const at = match.lastIndexOf(secret);
    return `${match.slice(0, at)}[redacted: ${kind}]${match.slice(at + secret.length)}`;
  });
}

/** What of a match is secret: the group of that name, or all of it. */
function secretIn(match: string, groups: unknown): string | undefined {
  if (typeof groups !== "object" || groups === null || !("secret" in groups)) return match;
  // A call in code, `password = read()`, is no secret.
  return typeof groups.secret === "string" ? groups.secret : undefined;
}

/** Where a rule finds secrets in a text. */
function secretSpans(text: string, pattern: RegExp): readonly Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(pattern)) {
    const secret = secretIn(match[0], match.groups);
    if (secret === undefined) continue;
    const start = match.index + match[0].lastIndexOf(secret);
    spans.push({ start, end: start + secret.length });
  }
  return spans;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function replaceHome(text: string, home: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf(home); at !== -1; at = text.indexOf(home, from)) {
    const end = at + home.length;
    // `/root` is not the start of `/rootless`, nor a part of `src/root`; `-I/root` is an option and its value.
    const whole =
      !/[\w-]/.test(text[end] ?? "") &&
      (!/[\w.~-]/.test(text[at - 1] ?? "") ||
        /(?:^|[\s"'])-[A-Za-z]$/.test(text.slice(Math.max(0, at - 3), at)));
    out += text.slice(from, at) + (whole ? "~" : home);
    from = end;
  }
  return out + text.slice(from);
}
