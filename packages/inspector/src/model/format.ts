/** Milliseconds as a person reads them. */
export function formatMs(ms: number): string {
  if (ms < 1) return ms === 0 ? "0 ms" : `${ms < 0.01 ? "<0.01" : trim(ms.toFixed(2))} ms`;
  if (ms < 10) return `${trim(ms.toFixed(1))} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  if (seconds < DAYS_FROM * 86_400)
    return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
}

/** From here on days are told. */
const DAYS_FROM = 2;

/** How long ago something was, in one unit. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < DAYS_FROM * 86_400) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

/** A moment, the same for everybody who looks at it. Empty for what is none. */
export function formatMoment(epochMs: number): string {
  if (!Number.isFinite(epochMs) || Math.abs(epochMs) > MAX_DATE_MS) return "";
  return `${new Date(epochMs).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const MAX_DATE_MS = 8.64e15;

export function formatBytes(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${trim((bytes / 1_024).toFixed(1))} KiB`;
  return `${trim((bytes / 1_048_576).toFixed(1))} MiB`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** An amount in the unit of a limit, and what it may be at most. */
export function formatUse(used: number | undefined, max: number | undefined, unit: string): string {
  const word = unit === "chars" ? "characters" : unit;
  const one = (amount: number): string =>
    unit === "ms" ? formatMs(amount) : unit === "bytes" ? formatBytes(amount) : formatCount(amount);
  const told = unit === "ms" || unit === "bytes" ? "" : ` ${word}`;
  if (max === undefined) return used === undefined ? "not measured" : `${one(used)}${told}`;
  return `${used === undefined ? "not measured yet," : one(used)} of ${one(max)}${told}`;
}

/** Places of the marks on a time line: at most `most` steps of 1, 2 or 5 times a power of ten. */
export function timeTicks(fromMs: number, toMs: number, most: number): readonly number[] {
  if (!(toMs > fromMs) || most < 1) return [fromMs];
  const rough = (toMs - fromMs) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const first = Math.ceil(fromMs / step - 1e-9);
  const last = Math.floor(toMs / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

/** JSON text with line breaks; text that is none (it was cut) stays as it is. */
export function prettyJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2) ?? json;
  } catch {
    return json;
  }
}

function trim(digits: string): string {
  return digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
}
