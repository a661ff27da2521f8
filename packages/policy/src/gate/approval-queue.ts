import type { PauseSource } from "@nestbox/tool";

import { readAnswer } from "./answer.ts";
import type { ApprovalAnswer, ApprovalItem, ApprovalPrompt, Approver } from "./approver.ts";
import type { Timers } from "./timers.ts";
import type { Turns } from "./turns.ts";

/** What ends a wait for an answer, and how. `wait`: the prompt stays open for as long as the run lasts. */
export interface ApprovalTimeout {
  readonly afterMs: number;
  readonly outcome: "deny" | "wait" | "stop";
}

/** How one call's question ended. */
export type ApprovalOutcome =
  | ApprovalAnswer
  | { readonly kind: "timeout"; readonly outcome: "deny" | "stop"; readonly afterMs: number }
  | { readonly kind: "cancelled" }
  | { readonly kind: "overflow" }
  | { readonly kind: "failed"; readonly error: unknown };

export interface ApprovalQueueOptions {
  readonly approver: Approver;
  readonly timeout: ApprovalTimeout;
  readonly timers: Timers;
  readonly clock: () => number;
  /** Most calls that wait at a time; one more is denied. */
  readonly maxWaiting: number;
  /** Most other calls that one prompt offers to answer with. */
  readonly maxBatch: number;
  /** How long a first prompt of a script waits for the script's other calls, so that they show as one batch. */
  readonly gatherMs: number;
  /** Keeps this queue's dialogs from opening beside those of another. */
  readonly turns?: Turns;
  /** Told once when a prompt has stood for the time limit and goes on waiting. */
  readonly onStillWaiting?: (item: ApprovalItem) => void;
}

/** One queue for all questions of a session: first in, first out, one dialog at a time. */
export interface ApprovalQueue {
  ask(item: ApprovalItem, signal: AbortSignal | undefined): Promise<ApprovalOutcome>;
  /** Ends every question of this call and of the calls below it. */
  cancel(callId: string): void;
  cancelAll(): void;
  readonly size: number;
  /** Paused while any question waits. */
  readonly pauses: PauseSource;
  /** Paused while a question of this call, or of a call below it, waits. */
  pausesFor(callId: string): PauseSource;
}

interface Entry {
  readonly item: ApprovalItem;
  readonly rootId: string;
  /** This call and those above it. */
  readonly ids: ReadonlySet<string>;
  settle(outcome: ApprovalOutcome): void;
  settled: boolean;
}

// A person needs this many early answers before the prompt counts as unanswerable (a held key, a program).
const MAX_EARLY_ANSWERS = 5;
// Longest time in which an answer counts as typed for something else, whatever an approver says.
const MAX_TYPE_AHEAD_MS = 60_000;
// How long a dialog that was told to close is waited for before the next one opens all the same.
const MAX_CLOSING_MS = 10_000;

export function createApprovalQueue(options: ApprovalQueueOptions): ApprovalQueue {
  const { approver, timers, clock } = options;
  // Read each time: the user interface behind the approver may be another one by now.
  const typeAhead = (): number => {
    try {
      const ms = approver.typeAheadMs ?? 0;
      return ms > 0 ? Math.min(ms, MAX_TYPE_AHEAD_MS) : 0;
    } catch {
      // Whoever asks may be gone: their keys are, too.
      return 0;
    }
  };
  const entries: Entry[] = [];
  const listeners = new Set<() => void>();
  const closeOnSettle = new Map<Entry, () => void>();
  /** The dialog that was opened last, until its approver lets go of it. */
  let lastDialog: Promise<unknown> = Promise.resolve();
  /** Ends this queue's turn among others; set while it has it. */
  let endTurn: (() => void) | undefined;
  let running = false;
  let lastClosedAt: number | undefined;

  const changed = (): void => {
    for (const listener of listeners) {
      try {
        listener();
      } catch {
        // A clock that fails to stop is the listener's own trouble; the question goes on.
      }
    }
  };

  const source = (paused: () => boolean): PauseSource => ({
    subscribe(listener) {
      let last = false;
      const check = (): void => {
        const now = paused();
        if (now === last) return;
        last = now;
        listener(now);
      };
      listeners.add(check);
      check();
      return () => {
        listeners.delete(check);
      };
    },
  });

  const remove = (entry: Entry): void => {
    const index = entries.indexOf(entry);
    if (index >= 0) entries.splice(index, 1);
    changed();
  };

  const wait = async (ms: number): Promise<void> => {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      timers.after(ms, resolve);
    });
  };

  const run = async (): Promise<void> => {
    running = true;
    try {
      for (;;) {
        const first = entries[0];
        if (first === undefined) return;
        if (lastClosedAt !== undefined) await wait(lastClosedAt + typeAhead() - clock());
        else if (first.item.request.chain.length > 0) await wait(options.gatherMs);
        if (first.settled) continue;
        try {
          await prompt(first);
        } catch (error) {
          // Nothing in there is meant to throw; whatever does must not leave the questions behind it waiting for ever.
          first.settle({ kind: "failed", error });
        }
        // A dialog that was told to close may need a moment; a new one must not open over it.
        await Promise.race([lastDialog, wait(MAX_CLOSING_MS)]);
        lastClosedAt = clock();
        endTurn?.();
        endTurn = undefined;
      }
    } finally {
      endTurn?.();
      endTurn = undefined;
      running = false;
    }
  };

  /** Waits for this queue's turn; how the question ended instead, where it did. */
  const takeTurn = async (
    entry: Entry,
    timedOut: Promise<ApprovalOutcome>,
  ): Promise<ApprovalOutcome | undefined> => {
    if (options.turns === undefined) return undefined;
    const waiting = new AbortController();
    closeOnSettle.set(entry, () => waiting.abort());
    try {
      const taken = options.turns.take(waiting.signal);
      const first = await Promise.race([taken, timedOut]);
      if (typeof first === "function") endTurn = first;
      // Too late: a turn that comes all the same is given back.
      else void taken.then((end) => end?.());
      return typeof first === "object" ? first : undefined;
    } finally {
      closeOnSettle.delete(entry);
      waiting.abort();
    }
  };

  const stillWaiting = (item: ApprovalItem): void => {
    try {
      options.onStillWaiting?.(item);
    } catch {
      // Called by a timer: a throw would end the process.
    }
  };

  const prompt = async (entry: Entry): Promise<void> => {
    let early = 0;
    let stopTimer: (() => void) | undefined;
    const timedOut = new Promise<ApprovalOutcome>((resolve) => {
      const { afterMs, outcome } = options.timeout;
      if (!Number.isFinite(afterMs)) return;
      stopTimer = timers.after(afterMs, () => {
        if (outcome !== "wait") resolve({ kind: "timeout", outcome, afterMs });
        else stillWaiting(entry.item);
      });
    });
    try {
      const instead = await takeTurn(entry, timedOut);
      if (instead !== undefined) entry.settle(instead);
      while (!entry.settled) {
        const batch = entries
          .filter((other) => other !== entry && other.rootId === entry.rootId)
          .slice(0, options.maxBatch);
        const shown: ApprovalPrompt = {
          item: entry.item,
          batch: batch.map((other) => other.item),
          waiting: entries.length,
        };
        const openedAt = clock();
        const typeAheadMs = typeAhead();
        const outcome = await ask(entry, shown, timedOut);
        if (entry.settled) return;
        if (outcome.kind === "approved" && typeAheadMs > 0 && clock() - openedAt < typeAheadMs) {
          early += 1;
          if (early < MAX_EARLY_ANSWERS) {
            await wait(typeAheadMs);
            continue;
          }
          entry.settle({
            kind: "unavailable",
            message: "every answer came before the question could be read",
          });
          return;
        }
        entry.settle(outcome);
        spread(outcome, batch);
        return;
      }
    } finally {
      stopTimer?.();
    }
  };

  const ask = async (
    entry: Entry,
    shown: ApprovalPrompt,
    timedOut: Promise<ApprovalOutcome>,
  ): Promise<ApprovalOutcome> => {
    const dialog = new AbortController();
    closeOnSettle.set(entry, () => {
      dialog.abort();
    });
    const closed = new Promise<ApprovalOutcome>((resolve) => {
      dialog.signal.addEventListener("abort", () => {
        resolve({ kind: "cancelled" });
      });
    });
    // Wrapped, so that a throw in the approver's first line is an outcome like any other.
    const answered = (async (): Promise<ApprovalOutcome> => {
      try {
        const answer = readAnswer(await approver.ask(shown, { signal: dialog.signal }));
        return answer ?? { kind: "failed", error: new TypeError("the approver gave no known answer") };
      } catch (error) {
        return { kind: "failed", error };
      }
    })();
    lastDialog = answered;
    try {
      return await Promise.race([answered, timedOut, closed]);
    } finally {
      closeOnSettle.delete(entry);
      dialog.abort();
    }
  };

  /** One answer for several calls counts only for those that were shown beside it, and remembers nothing for them. */
  const spread = (outcome: ApprovalOutcome, batch: readonly Entry[]): void => {
    if (outcome.kind === "stop") {
      for (const other of batch) other.settle({ kind: "stop" });
      return;
    }
    if (outcome.kind !== "approved" && outcome.kind !== "declined") return;
    const also = new Set(outcome.callIds ?? []);
    for (const other of batch) {
      if (!also.has(other.item.callId)) continue;
      if (outcome.kind === "approved") other.settle({ kind: "approved" });
      else
        other.settle({
          kind: "declined",
          ...(outcome.comment === undefined ? {} : { comment: outcome.comment }),
        });
    }
  };

  return {
    async ask(item, signal) {
      if (signal?.aborted === true) return { kind: "cancelled" };
      if (entries.length >= options.maxWaiting) return { kind: "overflow" };
      const chain = item.request.chain;
      return new Promise<ApprovalOutcome>((resolve) => {
        const onAbort = (): void => {
          entry.settle({ kind: "cancelled" });
        };
        const entry: Entry = {
          item,
          rootId: chain[0]?.callId ?? item.callId,
          ids: new Set([...chain.map((link) => link.callId), item.callId]),
          settled: false,
          settle(outcome) {
            if (entry.settled) return;
            entry.settled = true;
            signal?.removeEventListener("abort", onAbort);
            closeOnSettle.get(entry)?.();
            remove(entry);
            resolve(outcome);
          },
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        entries.push(entry);
        changed();
        if (!running) void run();
      });
    },
    cancel(callId) {
      for (const entry of entries.slice()) if (entry.ids.has(callId)) entry.settle({ kind: "cancelled" });
    },
    cancelAll() {
      for (const entry of entries.slice()) entry.settle({ kind: "cancelled" });
    },
    get size() {
      return entries.length;
    },
    pauses: source(() => entries.length > 0),
    pausesFor: (callId) => source(() => entries.some((entry) => entry.ids.has(callId))),
  };
}
