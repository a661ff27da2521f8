/** What the commands of the fleet have around them; a test gives its own. */
import { randomUUID } from "node:crypto";
import { userInfo } from "node:os";

import { type FleetEngine, FleetError } from "./engine.ts";
import { fleetConfig } from "./fleet-config.ts";
import { openFleet } from "./open-fleet.ts";

export interface FleetWorld {
  /** Throws `UsageError` where no fleet is named; rejects with `FleetError`. */
  open(options: { readonly config?: string }): Promise<FleetEngine>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after so long, or when the signal is aborted. */
  pause(ms: number, signal: AbortSignal): Promise<void>;
  /** A few characters that no other run has. */
  fresh(): string;
  /** Who decides here, as this machine knows them. */
  person(): string;
}

export const fleetWorld: FleetWorld = {
  open: async (options) => openFleet(fleetConfig(options, process.cwd(), process.env)),
  now: () => Date.now(),
  pause: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener("abort", done, { once: true });
    }),
  fresh: () => randomUUID().replaceAll("-", "").slice(0, 10),
  person() {
    try {
      return userInfo().username;
    } catch {
      // An account that the system does not know, as in a container.
      return `user ${process.getuid?.() ?? "unknown"}`;
    }
  },
};

/**
 * Does it again while the server is away, until the signal is aborted; `undefined` then. Says once that it is away, and
 * once that it is back.
 */
export async function whileAway<T>(
  work: () => Promise<T>,
  world: Pick<FleetWorld, "pause">,
  signal: AbortSignal,
  tell: (message: string) => void,
): Promise<T | undefined> {
  let away = false;
  for (;;) {
    try {
      const result = await work();
      if (away) tell("the server answers again");
      return result;
    } catch (error) {
      if (!(error instanceof FleetError) || error.kind !== "unreachable") throw error;
      if (signal.aborted) return undefined;
      if (!away) tell(`${error.message}; trying until it does`);
      away = true;
      await world.pause(RETRY_MS, signal);
      if (signal.aborted) return undefined;
    }
  }
}

const RETRY_MS = 1_000;
