/** Shortest time between two updates of a running script, in milliseconds. */
const INTERVAL_MS = 50;

export interface Throttle {
  /** Runs the action now, or once more when the interval is over. */
  readonly request: () => void;
  /** Nothing runs after this. */
  readonly stop: () => void;
}

/** Keeps progress bounded however many calls a script makes (contract B4). The action's own errors are ignored. */
export function createThrottle(action: () => void, intervalMs = INTERVAL_MS): Throttle {
  let timer: NodeJS.Timeout | undefined;
  let wanted = false;
  let stopped = false;
  const run = (): void => {
    wanted = false;
    timer = setTimeout(() => {
      timer = undefined;
      if (wanted) run();
    }, intervalMs);
    timer.unref();
    try {
      action();
    } catch {
      // A listener that throws must not end the script.
    }
  };
  return {
    request() {
      if (stopped) return;
      if (timer === undefined) run();
      else wanted = true;
    },
    stop() {
      stopped = true;
      wanted = false;
      clearTimeout(timer);
    },
  };
}
