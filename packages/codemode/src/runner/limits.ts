import type { ScriptLimits } from "../types.ts";
import { CodemodeError } from "./errors.ts";

/** Limits of a script that names none. Output, items and memory are those of Pi's built-in codemode. */
export const DEFAULT_LIMITS: ScriptLimits = {
  cpuMs: 30_000,
  timeoutMs: undefined,
  callTimeoutMs: undefined,
  memoryMb: 256,
  maxSourceChars: 1_000_000,
  maxOutputChars: 16_777_216,
  maxOutputItems: 100_000,
  maxFrameBytes: 256 * 1024 * 1024,
  maxValueChars: 64 * 1024 * 1024,
  maxCalls: 100_000,
  maxCallsInFlight: 1_024,
  maxDepth: 512,
  maxLogLines: 100_000,
  maxTimers: 10_000,
};

/** Of a timer; nothing waits longer. */
const MAX_TIMEOUT_MS = 2_147_483_647;
/** The most that each limit can be, where less than any number is: what crosses is JSON, which has no infinity. */
const MOST: Partial<Readonly<Record<keyof ScriptLimits, number>>> = {
  cpuMs: MAX_TIMEOUT_MS,
  timeoutMs: MAX_TIMEOUT_MS,
  callTimeoutMs: MAX_TIMEOUT_MS,
  // A terabyte: the engine counts no further.
  memoryMb: 1_048_576,
  // What the length of a frame can say.
  maxFrameBytes: 4_294_967_295,
};

/**
 * Fills in defaults; `Infinity` and what is too large is the most that there can be. Throws {@link CodemodeError}
 * `misuse` for a limit that is not a positive number.
 */
export function resolveLimits(limits: Partial<ScriptLimits> = {}): ScriptLimits {
  const resolved: Record<string, number | undefined> = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof ScriptLimits)[]) {
    const value = limits[key];
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value > 0)) {
      throw new CodemodeError("misuse", `The limit ${key} must be a positive number, got ${shown(value)}`);
    }
    resolved[key] = Math.min(value, MOST[key] ?? Number.MAX_SAFE_INTEGER);
  }
  for (const key of ["timeoutMs", "callTimeoutMs"] as const)
    if (limits[key] === Number.POSITIVE_INFINITY) resolved[key] = undefined;
  // The engine takes whole megabytes and no fewer than eight.
  resolved["memoryMb"] = Math.max(8, Math.round(resolved["memoryMb"] ?? DEFAULT_LIMITS.memoryMb));
  return resolved as unknown as ScriptLimits;
}

/** Settings of a runner: milliseconds, processes, scripts, isolates. */
export interface RunnerSettings {
  readonly maxProcesses: number;
  readonly maxWaiting: number;
  readonly waitMs: number;
  readonly idleMs: number;
  readonly maxScripts: number;
  readonly stock: number;
  readonly graceMs: number;
}

/** What each must be at least: without one process, or time to wait for it, no script would ever run. */
const LEAST: RunnerSettings = {
  maxProcesses: 1,
  maxWaiting: 0,
  waitMs: 1,
  idleMs: 0,
  maxScripts: 1,
  stock: 0,
  graceMs: 0,
};
/** Of a hundred isolates made ahead nobody has use; each takes memory, idle or not. */
const MAX_STOCK = 100;

/** Throws {@link CodemodeError} `misuse` for a setting that is no number, or less than makes sense. */
export function checkSettings(settings: RunnerSettings): void {
  for (const [key, least] of Object.entries(LEAST) as [keyof RunnerSettings, number][]) {
    const value: unknown = settings[key];
    if (typeof value !== "number" || !(value >= least))
      throw new CodemodeError("misuse", `${key} must be a number of at least ${least}, got ${shown(value)}`);
  }
  const { stock } = settings;
  if (!Number.isInteger(stock) || stock > MAX_STOCK)
    throw new CodemodeError("misuse", `stock must be a whole number up to ${MAX_STOCK}, got ${shown(stock)}`);
}

const shown = (value: unknown): string =>
  typeof value === "number"
    ? String(value)
    : typeof value === "string"
      ? JSON.stringify(value.slice(0, 40))
      : typeof value;
