import type { JsonValue } from "@nestbox/tool";
import type { DurableClock } from "@nestbox/codemode/durable";

interface Waiting {
  readonly key: string;
  readonly tell: (value: JsonValue) => void;
}

/** A look that found nothing makes the next one later, up to so many times the first interval. */
const SLOWEST = 10;

/**
 * Looks, as long as somebody waits, for what other processes have woken: soon after a wait has begun, and then ever less
 * often. Each look is a message to the server, and thousands of runs that wait for their turn would keep it busy.
 */
export class Watch {
  readonly #look: (keys: readonly string[]) => Promise<Readonly<Record<string, JsonValue>>>;
  readonly #clock: DurableClock;
  readonly #pollMs: number;
  readonly #waiting = new Set<Waiting>();
  #cancel: (() => void) | undefined;
  #looking = false;
  #pauseMs: number;

  constructor(
    look: (keys: readonly string[]) => Promise<Readonly<Record<string, JsonValue>>>,
    clock: DurableClock,
    pollMs: number,
  ) {
    this.#look = look;
    this.#clock = clock;
    this.#pollMs = pollMs;
    this.#pauseMs = pollMs;
  }

  /** Resolves with the value; never, once the signal is aborted. */
  wait(key: string, signal: AbortSignal): Promise<JsonValue> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      const one: Waiting = { key, tell: resolve };
      this.#waiting.add(one);
      this.#soon();
      signal.addEventListener("abort", () => this.#forget(one), { once: true });
      this.#arm();
    });
  }

  tell(key: string, value: JsonValue): void {
    for (const one of Array.from(this.#waiting)) {
      if (one.key !== key) continue;
      this.#forget(one);
      one.tell(structuredClone(value));
    }
  }

  #forget(one: Waiting): void {
    this.#waiting.delete(one);
    if (this.#waiting.size === 0) this.#disarm();
  }

  #soon(): void {
    if (this.#pauseMs === this.#pollMs) return;
    this.#pauseMs = this.#pollMs;
    this.#disarm();
  }

  #disarm(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(): void {
    if (this.#cancel !== undefined || this.#looking || this.#waiting.size === 0) return;
    this.#cancel = this.#clock.after(this.#pauseMs, () => {
      this.#pauseMs = Math.min(this.#pauseMs * 2, this.#pollMs * SLOWEST);
      this.#cancel = undefined;
      this.#looking = true;
      void this.#lookNow().finally(() => {
        this.#looking = false;
        this.#arm();
      });
    });
  }

  async #lookNow(): Promise<void> {
    const keys = [...new Set(Array.from(this.#waiting, ({ key }) => key))];
    try {
      for (const [key, value] of Object.entries(await this.#look(keys))) this.tell(key, value);
    } catch {
      // The server is away: the next look will tell.
    }
  }
}
