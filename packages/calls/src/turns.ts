import type { Cancellation } from "./cancellation.ts";

/** How many calls wait in the whole host. */
export interface WaitingRoom {
  readonly max: number;
  count: number;
}

type Turn = "taken" | "aborted" | "full";

/** Lets `size` calls in at a time, first come first served. */
interface Turnstile {
  /** Settles with `aborted` when the cancellation fires first, with `full` when too many wait. */
  take(cancellation: Cancellation): Turn | Promise<Turn>;
  leave(): void;
}

function createTurnstile(size: number, room: WaitingRoom): Turnstile {
  let inside = 0;
  // A Set keeps the order of arrival and removes from the middle at no cost.
  const waiting = new Set<() => void>();
  return {
    take(cancellation) {
      if (inside < size) {
        inside++;
        return "taken";
      }
      if (room.count >= room.max) return "full";
      room.count++;
      return new Promise<Turn>((resolve) => {
        const settle = (turn: Turn): void => {
          room.count--;
          waiting.delete(enter);
          stopListening();
          resolve(turn);
        };
        const enter = (): void => settle("taken");
        let stopListening: () => void = () => {};
        waiting.add(enter);
        stopListening = cancellation.onAbort(() => settle("aborted"));
      });
    },
    leave() {
      const next = waiting.values().next();
      // The place is handed over, so nobody who comes later can slip in between.
      if (next.done === true) inside--;
      else next.value();
    },
  };
}

/**
 * The space in which calls take turns. A sequential call opens one for its descendants: inside it sequential calls
 * exclude each other again, and nothing outside is ever waited for. Within one space a parallel call waits only for
 * calls at its own depth, those wait only for calls further down, and the lock's holder waits only for its own space:
 * no cycle, so no deadlock.
 */
export interface TurnSpace {
  readonly lock: Turnstile;
  atDepth(depth: number): Turnstile;
}

export function createTurnSpace(maxConcurrent: number, room: WaitingRoom): TurnSpace {
  const byDepth: Turnstile[] = [];
  return {
    lock: createTurnstile(1, room),
    atDepth(depth) {
      return (byDepth[depth] ??= createTurnstile(maxConcurrent, room));
    },
  };
}
