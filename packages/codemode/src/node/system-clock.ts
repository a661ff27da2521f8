import type { Clock } from "../runner/clock.ts";

/** A timer of more fires at once. */
const MAX_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run, background = false) {
    const timer = setTimeout(run, Math.min(ms, MAX_MS));
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  soon: (run) => void setImmediate(run),
};
