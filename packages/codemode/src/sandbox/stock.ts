/**
 * Isolates made ahead of need, while nothing runs: one after the other, each a moment after the last, so that a
 * script that comes meanwhile waits for one at most.
 */
export interface StockOptions<T> {
  /** How many are kept. */
  readonly size: number;
  readonly make: () => T;
  /** Whether a script runs: nothing is made beside it. */
  readonly isBusy: () => boolean;
  /** Calls back once after this time; a wait that is not over is given up. */
  readonly wait: (delayMs: number, run: () => void) => () => void;
  /** Done once, in the first quiet moment, before any is made in one. */
  readonly learn: () => void;
  /** Makes the next one readier, a step at a time; whether there was a step to make. */
  readonly ripen: (next: T) => boolean;
  /** Done once, when the stock is full for the first time and a longer while has passed. */
  readonly whenFull: () => void;
}

export interface Stock<T> {
  /** One that is ready, or undefined. */
  take(): T | undefined;
  /** Makes one at once. */
  add(): void;
  /** Begins to make what is missing. */
  refill(): void;
}

const REFILL_AFTER_MS = 3;
const FULL_AFTER_MS = 300;

export function createStock<T>(options: StockOptions<T>): Stock<T> {
  const ready: T[] = [];
  let learnt = false;
  let wasFull = false;
  let cancel: (() => void) | undefined;

  function refill(delayMs = REFILL_AFTER_MS): void {
    cancel?.();
    cancel = options.wait(delayMs, () => {
      if (options.isBusy()) return;
      const [next] = ready;
      if (!learnt) {
        learnt = true;
        options.learn();
        refill();
      } else if (next !== undefined && options.ripen(next)) {
        refill();
      } else if (ready.length < options.size) {
        ready.push(options.make());
        refill();
      } else if (!wasFull) {
        if (delayMs !== FULL_AFTER_MS) {
          refill(FULL_AFTER_MS);
          return;
        }
        wasFull = true;
        options.whenFull();
      }
    });
  }

  return { take: () => ready.shift(), add: () => void ready.push(options.make()), refill: () => refill() };
}
