/** Waits, injected so that tests need no real time. */
export interface Timers {
  /** Runs `action` after `ms`; returns how to cancel it. */
  after(ms: number, action: () => void): () => void;
}

/** The longest wait a timer can hold; longer ones are cut to it. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The real clock's timers; a waiting one does not keep the process alive. */
export const realTimers: Timers = {
  after(ms, action) {
    const timer = setTimeout(action, Math.min(Math.max(0, ms), MAX_TIMER_MS));
    timer.unref?.();
    return () => {
      clearTimeout(timer);
    };
  },
};

/** Waits for something of the host's, but no longer than `ms`: then it counts as failed. */
export async function within<T>(pending: Promise<T> | T, ms: number, timers: Timers): Promise<T> {
  let stop: (() => void) | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    stop = timers.after(ms, () => {
      reject(new Error(`no answer within ${ms} ms`));
    });
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    stop?.();
  }
}
