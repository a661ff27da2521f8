import type { PauseSource } from "@nestbox/tool";

export interface Pauses extends PauseSource {
  /** A person is being asked. Counts: two questions need two `resume()`. */
  pause(): void;
  resume(): void;
}

/** Who subscribes while paused is told at once. A listener that throws is ignored. */
export function createPauses(): Pauses {
  const listeners = new Set<(paused: boolean) => void>();
  let depth = 0;
  const tell = (listener: (paused: boolean) => void, paused: boolean): void => {
    try {
      listener(paused);
    } catch {
      // A clock that cannot be stopped is no reason to fail the question.
    }
  };
  return {
    pause() {
      if (depth++ === 0) for (const listener of listeners) tell(listener, true);
    },
    resume() {
      if (depth === 0 || --depth > 0) return;
      for (const listener of listeners) tell(listener, false);
    },
    subscribe(listener) {
      // A wrapper, so that one function can be subscribed twice.
      const own = (paused: boolean): void => listener(paused);
      listeners.add(own);
      if (depth > 0) tell(own, true);
      return () => listeners.delete(own);
    },
  };
}
