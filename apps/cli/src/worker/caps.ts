import type { ScriptLimits } from "@nestbox/codemode";

/** The most that a run gets here, whatever its submission says. */
export interface RunCaps {
  readonly limits: Partial<ScriptLimits>;
  /** Milliseconds from a run's start, parked or not. */
  readonly deadlineMs?: number | undefined;
  /** Milliseconds that a run is carried on without parking or ending. */
  readonly timeoutMs?: number | undefined;
}

/** What a submission asks for, and no more than the worker gives. */
export function capLimits(asked: Partial<ScriptLimits> = {}, caps: RunCaps): Partial<ScriptLimits> {
  const limits: Record<string, number | undefined> = { ...asked };
  for (const [name, most] of Object.entries(caps.limits)) {
    const wanted = limits[name];
    if (most !== undefined) limits[name] = wanted === undefined ? most : Math.min(wanted, most);
  }
  const { timeoutMs } = caps;
  if (timeoutMs !== undefined) limits["timeoutMs"] = Math.min(timeoutMs, limits["timeoutMs"] ?? timeoutMs);
  return limits;
}
