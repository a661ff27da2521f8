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

const MAX_TIMEOUT_MS = 2_147_483_647;

/** Fills in defaults; throws {@link CodemodeError} `misuse` for a limit that is not a positive number. */
export function resolveLimits(limits: Partial<ScriptLimits> = {}): ScriptLimits {
  const resolved: Record<string, number | undefined> = { ...DEFAULT_LIMITS };
  for (const key of Object.keys(DEFAULT_LIMITS) as (keyof ScriptLimits)[]) {
    const value = limits[key];
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value > 0)) {
      throw new CodemodeError("misuse", `The limit ${key} must be a positive number, got ${String(value)}`);
    }
    resolved[key] = value;
  }
  const { memoryMb } = resolved;
  for (const key of ["timeoutMs", "callTimeoutMs"] as const) {
    const ms = resolved[key];
    if (ms !== undefined)
      resolved[key] = ms === Number.POSITIVE_INFINITY ? undefined : Math.min(ms, MAX_TIMEOUT_MS);
  }
  // The engine takes whole megabytes and no fewer than eight.
  resolved["memoryMb"] = Math.max(8, Math.round(memoryMb ?? 256));
  return resolved as unknown as ScriptLimits;
}
