import type { PauseSource } from "@nestbox/tool";
import type { Clock } from "./clock.ts";

/** Time of a script without the time that a person was being asked. */
export class Stopwatch {
  readonly #clock: Pick<Clock, "now" | "after">;
  readonly #started: number;
  readonly #unsubscribe: (() => void) | undefined;
  readonly #onPause: (paused: boolean) => void;
  #pausedMs = 0;
  #pausedAt: number | undefined;
  #limit: { readonly ms: number; readonly run: () => void; cancel?: () => void } | undefined;

  constructor(
    clock: Pick<Clock, "now" | "after">,
    pauses: PauseSource | undefined,
    onPause: (paused: boolean) => void,
  ) {
    this.#clock = clock;
    this.#started = clock.now();
    this.#onPause = onPause;
    this.#unsubscribe = pauses?.subscribe((paused) => this.#set(paused));
  }

  get wallMs(): number {
    return this.#clock.now() - this.#started;
  }

  get pausedMs(): number {
    return this.#pausedMs + (this.#pausedAt === undefined ? 0 : this.#clock.now() - this.#pausedAt);
  }

  /** Calls `run` once when `ms` of unpaused time have passed since the start. */
  limit(ms: number, run: () => void): void {
    this.#limit = { ms, run };
    this.#arm();
  }

  stop(): void {
    this.#limit?.cancel?.();
    this.#limit = undefined;
    this.#unsubscribe?.();
  }

  #set(paused: boolean): void {
    if (paused === (this.#pausedAt !== undefined)) return;
    if (paused) {
      this.#pausedAt = this.#clock.now();
      this.#limit?.cancel?.();
    } else {
      this.#pausedMs = this.pausedMs;
      this.#pausedAt = undefined;
      this.#arm();
    }
    this.#onPause(paused);
  }

  #arm(): void {
    const limit = this.#limit;
    if (limit === undefined || this.#pausedAt !== undefined) return;
    limit.cancel?.();
    limit.cancel = this.#clock.after(Math.max(0, limit.ms - (this.wallMs - this.pausedMs)), limit.run);
  }
}
