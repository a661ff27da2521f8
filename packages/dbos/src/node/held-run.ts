import { DbosError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { Stored } from "./values.ts";

export type StepState = "begun" | "done" | "interrupted";

interface Entry {
  readonly state: StepState;
  /** Absent: to be read when it is needed. */
  readonly stored?: Stored | undefined;
}

const STATES: readonly StepState[] = ["begun", "done", "interrupted"];
/** Values up to so many characters are read with the claim. */
const READ_AHEAD_CHARS = 1_000;

/**
 * One claim of a run: what was there when it was claimed, and what has been written since. Nobody else can write while
 * it holds, so that what is read once need not be asked for again. A write locks the run's row against a claim: it is
 * either there when another one claims, or refused.
 */
export class HeldRun {
  readonly #runId: string;
  readonly #owner: string;
  readonly #database: Pick<Database, "query">;
  readonly #entries = new Map<string, Entry>();
  #lost = false;

  private constructor(runId: string, owner: string, database: Pick<Database, "query">) {
    this.#runId = runId;
    this.#owner = owner;
    this.#database = database;
  }

  static async claim(runId: string, database: Pick<Database, "query">, now: number): Promise<HeldRun> {
    const rows = await database.query(
      `INSERT INTO nestbox.runs AS r (run_id, owner, begun_at) VALUES ($1, 1, $2)
       ON CONFLICT (run_id) DO UPDATE SET owner = r.owner + 1 RETURNING owner::text AS owner`,
      [runId, Math.floor(now)],
    );
    const held = new HeldRun(runId, String(rows[0]?.["owner"]), database);
    const steps = await database.query(
      `SELECT key, state, hash, CASE WHEN length(value) <= $2 THEN value END AS value
       FROM nestbox.steps WHERE run_id = $1`,
      [runId, READ_AHEAD_CHARS],
    );
    for (const row of steps) {
      const state = STATES[Number(row["state"])];
      if (state === undefined) throw new DbosError("journal", "A step of the journal cannot be read");
      held.#entries.set(String(row["key"]), { state, stored: storedOf(row) });
    }
    return held;
  }

  get owner(): string {
    return this.#owner;
  }

  get size(): number {
    return this.#entries.size;
  }

  get lost(): boolean {
    return this.#lost;
  }

  state(key: string): StepState | undefined {
    return this.#entries.get(key)?.state;
  }

  async read(key: string): Promise<Stored> {
    const stored = this.#entries.get(key)?.stored;
    if (stored !== undefined) return stored;
    const rows = await this.#database.query(
      "SELECT value, hash FROM nestbox.steps WHERE run_id = $1 AND key = $2 AND state = 1",
      [this.#runId, key],
    );
    const found = rows[0] === undefined ? undefined : storedOf(rows[0]);
    if (found === undefined) throw new DbosError("journal", `The step ${key} of ${this.#runId} is gone`);
    return found;
  }

  /** Resolves when it is kept. What is interrupted keeps what it began with, for those who look. */
  async write(key: string, state: StepState, stored?: Stored): Promise<void> {
    this.check();
    // Told of before it is there: what is begun twice at once is found.
    this.#entries.set(key, { state });
    const rows = await this.#database.query(
      `WITH held AS (SELECT 1 FROM nestbox.runs WHERE run_id = $1 AND owner = $2 FOR SHARE)
       INSERT INTO nestbox.steps (run_id, key, state, value, hash) SELECT $1, $3, $4, $5, $6 FROM held
       ON CONFLICT (run_id, key) DO UPDATE
         SET state = excluded.state, hash = excluded.hash,
           value = CASE WHEN excluded.state = 2 THEN coalesce(excluded.value, steps.value) ELSE excluded.value END
       RETURNING 1 AS kept`,
      [this.#runId, this.#owner, key, STATES.indexOf(state), stored?.value ?? null, stored?.hash ?? null],
    );
    this.#isKept(rows.length > 0);
  }

  /** Forgets a step that failed; says whether the run is forgotten with it, because it has not even begun. */
  async drop(key: string): Promise<boolean> {
    this.check();
    if (this.#entries.delete(key)) {
      const rows = await this.#database.query(
        `WITH held AS (SELECT 1 FROM nestbox.runs WHERE run_id = $1 AND owner = $2 FOR SHARE),
           gone AS (DELETE FROM nestbox.steps WHERE run_id = $1 AND key = $3 AND EXISTS (SELECT 1 FROM held))
         SELECT 1 AS kept FROM held`,
        [this.#runId, this.#owner, key],
      );
      this.#isKept(rows.length > 0);
    }
    if (this.#entries.size > 0) return false;
    const gone = await this.#database.query(
      `DELETE FROM nestbox.runs WHERE run_id = $1 AND owner = $2 AND part IS NULL
         AND NOT EXISTS (SELECT 1 FROM nestbox.steps WHERE run_id = $1) RETURNING 1 AS gone`,
      [this.#runId, this.#owner],
    );
    return gone.length > 0;
  }

  check(): void {
    if (this.#lost) throw new DbosError("lost", `Another process has taken the run ${this.#runId} over`);
  }

  #isKept(kept: boolean): void {
    if (!kept) this.#lost = true;
    this.check();
  }
}

function storedOf(row: Readonly<Record<string, unknown>>): Stored | undefined {
  const { value, hash } = row;
  if (typeof value === "string") return { value, hash: null };
  return typeof hash === "string" ? { value: null, hash } : undefined;
}
