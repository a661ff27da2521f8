/** Time of durable runs, injected so that a test can hold it. */
export interface DurableClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back once after `ms`; returns how to cancel. */
  after(ms: number, run: () => void): () => void;
}

/** The longest wait of one timer of the system. */
const MAX_TIMER_MS = 2_147_483_647;

export const durableClock: DurableClock = {
  now: () => Date.now(),
  after(ms, run) {
    let timer: ReturnType<typeof setTimeout>;
    const arm = (left: number): void => {
      timer = setTimeout(
        () => (left > MAX_TIMER_MS ? arm(left - MAX_TIMER_MS) : run()),
        Math.min(left, MAX_TIMER_MS),
      );
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
