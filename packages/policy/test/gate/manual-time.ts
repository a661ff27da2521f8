import type { Timers } from "../../src/gate/timers.ts";

/** A clock that moves only when a test says so; its timers run in the order of their time. */
export interface ManualTime {
  readonly clock: () => number;
  readonly timers: Timers;
  /** Lets everything that is already due happen. */
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

export function manualTime(start = 1_000_000): ManualTime {
  let now = start;
  const waiting: { readonly at: number; readonly action: () => void }[] = [];
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i += 1) await Promise.resolve();
  };
  return {
    clock: () => now,
    timers: {
      after(ms, action) {
        const entry = { at: now + ms, action };
        waiting.push(entry);
        return () => {
          const index = waiting.indexOf(entry);
          if (index >= 0) waiting.splice(index, 1);
        };
      },
    },
    settle,
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        waiting.sort((a, b) => a.at - b.at);
        const next = waiting[0];
        if (next === undefined || next.at > end) break;
        waiting.shift();
        now = Math.max(now, next.at);
        next.action();
        await settle();
      }
      now = end;
    },
  };
}
