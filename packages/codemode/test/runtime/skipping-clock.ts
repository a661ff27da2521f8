import type { Clock } from "../../src/runner/clock.ts";
import { systemClock } from "../../src/node/system-clock.ts";

/**
 * The system's clock, of which a test can skip a part: what waits for a time in it is due at once. A test of a long
 * limit then neither waits for it nor depends on how fast the machine is.
 */
export function skippingClock(): Clock & { skip(ms: number): void } {
  let skippedMs = 0;
  const now = (): number => systemClock.now() + skippedMs;
  const waits = new Set<{ readonly due: number; readonly fire: () => void }>();
  return {
    ...systemClock,
    now,
    after(ms, run, background) {
      const fire = (): void => {
        cancel();
        run();
      };
      const wait = { due: now() + ms, fire };
      const cancelTimer = systemClock.after(ms, fire, background);
      const cancel = (): void => {
        cancelTimer();
        waits.delete(wait);
      };
      waits.add(wait);
      return cancel;
    },
    skip(ms) {
      skippedMs += ms;
      for (const wait of [...waits].sort((a, b) => a.due - b.due)) if (wait.due <= now()) wait.fire();
    },
  };
}
