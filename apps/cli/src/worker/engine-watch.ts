import { messageOf } from "@nestbox/tool";

/** Looks from time to time whether the engine answers, so that a worker that waits says so, and is not ready. */
export interface EngineWatch {
  answers(): boolean;
  close(): void;
}

export interface EngineWatchOptions {
  /** Rejects, or takes its time, while the engine is away. */
  readonly probe: () => Promise<unknown>;
  /** `why`: what the engine said, where it said something. */
  readonly onChange: (answers: boolean, why?: string) => void;
  /** Told at every look, for what is looked at besides. */
  readonly onLook?: () => void;
  readonly everyMs?: number;
  /** An engine that takes longer counts as away. */
  readonly patienceMs?: number;
  /** Calls back once after `ms`; returns how to cancel. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export function watchEngine(options: EngineWatchOptions): EngineWatch {
  const { probe, onChange, everyMs = 5_000, patienceMs = 3_000, after } = options;
  let answers = true;
  let closed = false;
  let cancel = after(everyMs, look);

  function set(now: boolean, why?: string): void {
    if (closed || now === answers) return;
    answers = now;
    onChange(now, why);
  }

  function look(): void {
    options.onLook?.();
    const stop = after(patienceMs, () => set(false));
    // One look at a time: the next one comes when this one has its answer.
    probe()
      .then(
        () => set(true),
        (error: unknown) => set(false, messageOf(error)),
      )
      .finally(() => {
        stop();
        if (!closed) cancel = after(everyMs, look);
      });
  }

  return {
    answers: () => answers,
    close() {
      closed = true;
      cancel();
    },
  };
}
