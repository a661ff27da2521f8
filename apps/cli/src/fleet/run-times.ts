import { InvalidArgumentError } from "commander";

const UNITS: ReadonlyMap<string, number> = new Map([
  ["ms", 1],
  ["s", 1_000],
  ["m", 60_000],
  ["h", 3_600_000],
  ["d", 86_400_000],
]);
/** A hundred years: what is longer is a mistake. */
const LONGEST_MS = 100 * 365 * 86_400_000;

/** Parses `7d`, `36h`, `90m`, `45s` or `500ms` into milliseconds. */
export function span(text: string): number {
  const [, number = "", unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS.get(unit) ?? Number.NaN));
  if (!(ms >= 1 && ms <= LONGEST_MS))
    throw new InvalidArgumentError("It must be a time: 45s, 90m, 36h or 7d, for example.");
  return ms;
}

/** About how long, in the largest unit that fits: `12 s`, `5 min`, `3 h`, `9 d`. */
export function about(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** For JSON: ISO 8601 in UTC; `null` for what is not known. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined || Number.isNaN(new Date(ms).getTime()) ? null : new Date(ms).toISOString();
}

/** For people: day and time in UTC. */
export function utcTime(ms: number): string {
  return (isoTime(ms) ?? "unknown").replace("T", " ").replace(/\.\d+Z$/, " UTC");
}
