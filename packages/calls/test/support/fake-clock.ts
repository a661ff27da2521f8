import type { Clock } from "@nestbox/tool";

export interface FakeClock extends Clock {
  /** Lets time pass; timers that are due fire in order. */
  readonly advance: (ms: number) => Promise<void>;
  readonly pending: () => number;
}

export function fakeClock(): FakeClock {
  let now = 0;
  let nextId = 1;
  const timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 50; turn++) await Promise.resolve();
  };
  return {
    now: () => now,
    after(ms, callback) {
      const id = nextId++;
      timers.set(id, { at: now + ms, callback });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      await settle();
      const until = now + ms;
      for (;;) {
        const due = [...timers].filter(([, { at }]) => at <= until).sort(([, a], [, b]) => a.at - b.at)[0];
        if (due === undefined) break;
        timers.delete(due[0]);
        now = due[1].at;
        due[1].callback();
        await settle();
      }
      now = until;
      await settle();
    },
    pending: () => timers.size,
  };
}
