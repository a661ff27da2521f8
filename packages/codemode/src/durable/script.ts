import { checkPlace } from "../runner/check-place.ts";
import { CodemodeError } from "../runner/errors.ts";
import { resolveLimits } from "../runner/limits.ts";
import { isRecord } from "../shared/guards.ts";
import type { ScriptLimits } from "../types.ts";

/** What a run begins with. Zone and locale default to UTC and `en-US`, the seed to a random one. */
export interface DurableScript {
  readonly code: string;
  readonly store?: Readonly<Record<string, string>>;
  /** Without `timeoutMs`, which counts the time of one process: see `deadlineMs`. */
  readonly limits?: Partial<ScriptLimits>;
  readonly seed?: number;
  readonly timeZone?: string;
  readonly locale?: string;
  /** Milliseconds from the start, parked or not, after which the run ends as `timeout`. */
  readonly deadlineMs?: number;
}

/**
 * Throws {@link CodemodeError} `misuse` for what is no script to begin a run with. It was submitted: whatever its type
 * says, each part of it may be anything.
 */
export function checkScript(script: DurableScript): void {
  const { code, store, limits, seed, deadlineMs }: Readonly<Record<keyof DurableScript, unknown>> = {
    ...NONE,
    ...script,
  };
  if (typeof code !== "string") refuse("code must be a string");
  if (
    store !== undefined &&
    !(isRecord(store) && Object.values(store).every((value) => typeof value === "string"))
  )
    refuse("store must have texts of JSON as its values");
  if (seed !== undefined && !Number.isFinite(seed)) refuse("seed must be a number");
  if (deadlineMs !== undefined && !Number.isFinite(deadlineMs)) refuse("deadlineMs must be a number");
  if (limits !== undefined && !isRecord(limits)) refuse("limits must be an object");
  if (script.limits?.timeoutMs !== undefined)
    throw new CodemodeError("misuse", "A durable run has no timeoutMs: set deadlineMs");
  // Limits, zones and locales that are none are misuse here and not a run that halts.
  resolveLimits(script.limits);
  checkPlace(script);
}

const NONE = {
  code: undefined,
  store: undefined,
  limits: undefined,
  seed: undefined,
  timeZone: undefined,
  locale: undefined,
  deadlineMs: undefined,
};

function refuse(what: string): never {
  throw new CodemodeError("misuse", `This is no script to run: its ${what}`);
}
