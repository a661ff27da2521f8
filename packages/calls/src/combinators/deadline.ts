import { type Clock, type PauseSource, systemClock, type ToolCallOutcome } from "@nestbox/tool";
import { createGroup, type Call, type CallerOf, type CombinatorOptions } from "./group.ts";

export interface DeadlineOptions extends CombinatorOptions {
  /** Without the time in which a person is asked, where the caller has `pauses`. */
  readonly timeoutMs: number;
  readonly clock?: Clock;
}

export interface DeadlineResult<O extends ToolCallOutcome> {
  /** An error that says it was cancelled, when the time was over. */
  readonly outcome: O;
  readonly timedOut: boolean;
}

/** Cancels the call when its time is over, and waits for it to stop. */
export async function deadline<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  call: Call,
  options: DeadlineOptions,
): Promise<DeadlineResult<O>> {
  const group = createGroup(caller, options);
  let timedOut = false;
  const stop = countdown(options.timeoutMs, options.clock ?? systemClock, caller.pauses, () => {
    timedOut = true;
    group.cancel(`${call.name} did not end within ${options.timeoutMs} ms`);
  });
  try {
    const outcome = await group.run(call, 0);
    // One that ended well all the same has ended well.
    return { outcome, timedOut: timedOut && outcome.isError };
  } finally {
    stop();
    group.release();
  }
}

/** Calls `end` after so many milliseconds that were not paused. Returns how to stop it. */
function countdown(
  timeoutMs: number,
  clock: Clock,
  pauses: PauseSource | undefined,
  end: () => void,
): () => void {
  let left = timeoutMs;
  let since = clock.now();
  let stopTimer: (() => void) | undefined = clock.after(left, end);
  const unsubscribe = pauses?.subscribe((paused) => {
    if (paused) {
      if (stopTimer === undefined) return;
      stopTimer();
      stopTimer = undefined;
      left -= clock.now() - since;
    } else if (stopTimer === undefined) {
      since = clock.now();
      stopTimer = clock.after(Math.max(0, left), end);
    }
  });
  return () => {
    unsubscribe?.();
    stopTimer?.();
  };
}
