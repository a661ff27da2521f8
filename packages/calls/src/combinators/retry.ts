import { type Clock, systemClock, type ToolCallOutcome } from "@nestbox/tool";
import { createGroup, type Call, type CallerOf, type CombinatorOptions } from "./group.ts";

export interface RetryOptions extends CombinatorOptions {
  /** In all, the first included. Default 3. */
  readonly attempts?: number;
  /** Before the second attempt; doubles each time. Default 200. */
  readonly backoffMs?: number;
  /** Default 10,000. */
  readonly maxBackoffMs?: number;
  readonly clock?: Clock;
  /** Between 0 and 1: each wait is between half of its time and all of it. Default `Math.random`. */
  readonly random?: () => number;
}

export interface RetryResult<O extends ToolCallOutcome> {
  /** Of the last attempt. */
  readonly outcome: O;
  readonly attempts: number;
}

/**
 * Calls again when the tool ran and failed, and only when its author says `idempotentHint: true`. A call that did not
 * run (blocked, invalid, unknown) or was cancelled fails the same way again, and is not repeated.
 */
export async function retry<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  call: Call,
  options: RetryOptions = {},
): Promise<RetryResult<O>> {
  const { backoffMs = 200, maxBackoffMs = 10_000, clock = systemClock, random = Math.random } = options;
  const idempotent =
    caller.tools.find(({ name }) => name === call.name)?.annotations?.idempotentHint === true;
  const attempts = idempotent ? Math.max(1, options.attempts ?? 3) : 1;
  const group = createGroup(caller, options);
  try {
    for (let attempt = 1; ; attempt++) {
      const outcome = await group.run(call, attempt - 1);
      const ranAndFailed = outcome.isError && outcome.durationMs !== undefined;
      if (!ranAndFailed || attempt >= attempts || group.aborted) return { outcome, attempts: attempt };
      const wait = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
      await sleep(wait * (0.5 + random() / 2), group.signal, clock);
      if (group.aborted) return { outcome, attempts: attempt };
    }
  } finally {
    group.release();
  }
}

/** Resolves after the time or when the signal is aborted, whichever comes first. */
function sleep(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      stopTimer();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stopTimer = clock.after(ms, end);
    signal.addEventListener("abort", end, { once: true });
  });
}
