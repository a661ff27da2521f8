import type { JsonValue } from "@nestbox/tool";
import type { DurableClock } from "@nestbox/codemode/durable";
import type { Database } from "./database.ts";
import { parse } from "./values.ts";

interface Waiting {
  readonly runId: string;
  readonly key: string;
  readonly tell: (value: JsonValue) => void;
}

/** Looks, as long as somebody waits, for what other processes have woken: one statement for all who wait here. */
export class Watch {
  readonly #database: Pick<Database, "query">;
  readonly #clock: DurableClock;
  readonly #pollMs: number;
  readonly #waiting = new Set<Waiting>();
  #cancel: (() => void) | undefined;
  #looking = false;

  constructor(database: Pick<Database, "query">, clock: DurableClock, pollMs: number) {
    this.#database = database;
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  /** Resolves with the value; never, once the signal is aborted. */
  wait(runId: string, key: string, signal: AbortSignal): Promise<JsonValue> {
    return new Promise((resolve) => {
      if (signal.aborted) return;
      const one: Waiting = { runId, key, tell: resolve };
      this.#waiting.add(one);
      signal.addEventListener("abort", () => this.#forget(one), { once: true });
      this.#arm();
    });
  }

  tell(runId: string, key: string, value: JsonValue): void {
    for (const one of Array.from(this.#waiting)) {
      if (one.runId !== runId || one.key !== key) continue;
      this.#forget(one);
      one.tell(structuredClone(value));
    }
  }

  close(): void {
    this.#waiting.clear();
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #forget(one: Waiting): void {
    this.#waiting.delete(one);
    if (this.#waiting.size === 0) this.close();
  }

  #arm(): void {
    if (this.#cancel !== undefined || this.#looking || this.#waiting.size === 0) return;
    this.#cancel = this.#clock.after(this.#pollMs, () => {
      this.#cancel = undefined;
      this.#looking = true;
      void this.#look().finally(() => {
        this.#looking = false;
        this.#arm();
      });
    });
  }

  async #look(): Promise<void> {
    const waiting = [...this.#waiting];
    try {
      const rows = await this.#database.query(
        `SELECT w.run_id, w.key, w.value FROM unnest($1::text[], $2::text[]) AS asked (run_id, key)
         JOIN nestbox.waits w ON w.run_id = asked.run_id AND w.key = asked.key WHERE w.value IS NOT NULL`,
        [waiting.map(({ runId }) => runId), waiting.map(({ key }) => key)],
      );
      for (const row of rows)
        this.tell(String(row["run_id"]), String(row["key"]), parse(String(row["value"])));
    } catch {
      // The database is away: the next look will tell.
    }
  }
}
