/** Most times that one gate lets others go first: somebody who always says "busy" keeps nobody from asking. */
const MAX_ROUNDS = 1_000;

/** Lets several gates that reach the same person ask in turn, so that no two of their dialogs are open at once. */
export interface Turns {
  /**
   * Waits until no other gate's dialog is open and takes the turn: gives what ends it. `undefined` when `signal` aborts
   * first; the turn was then not taken.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Asks all others at once what is open: calls `busy` with the end of each dialog that is, before it returns. */
export type AskWhoIsBusy = (busy: (until: Promise<unknown>) => void) => void;

/** Turns for one gate among others; `current` is the end of its own dialog while one is open. */
export function createTurns(whoIsBusy: AskWhoIsBusy): Turns & { current(): Promise<unknown> | undefined } {
  let mine: Promise<unknown> | undefined;
  const take: Turns["take"] = async (signal) => {
    for (let round = 0; ; round += 1) {
      if (signal.aborted) return undefined;
      const open: Promise<unknown>[] = [];
      whoIsBusy((until) => void open.push(until));
      // Asked and taken in one go, so that two gates cannot both find the screen free.
      if (open.length === 0 || round >= MAX_ROUNDS) return begin();
      await Promise.race([Promise.allSettled(open), aborted(signal)]);
    }
  };
  const begin = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    mine = promise;
    return () => {
      if (mine === promise) mine = undefined;
      resolve();
    };
  };
  return { take, current: () => mine };
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
