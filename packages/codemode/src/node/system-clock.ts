import type { Clock } from "../runner/clock.ts";

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run, background = false) {
    const timer = setTimeout(run, ms);
    if (background) timer.unref();
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
  soon: (run) => void setImmediate(run),
};
