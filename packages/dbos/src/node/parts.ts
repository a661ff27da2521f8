/**
 * Who carries a run on, as rows that change together with what they depend on. A run is carried on in parts: each is
 * one workflow of DBOS, put into its queue in the same transaction that makes it due. While a run is parked there is
 * no workflow of it but one that sleeps until its next timer, and no process holds anything of it.
 */
import { randomUUID } from "node:crypto";
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import type { DurableClock } from "@nestbox/codemode/durable";
import type { ClientBase } from "pg";
import { DbosError } from "../errors.ts";
import { workflowIdOf } from "../run-id.ts";
import type { Database } from "./database.ts";
import { isLaunching } from "./launch.ts";

export const APPLICATION = "nestbox";
export const QUEUE = "nestbox";
export const WORKFLOW = "nestbox-run";

export interface Begun {
  readonly script: string;
}

export type RunState = "queued" | "running" | "parked" | "halted" | "ended";

export class Parts {
  readonly #database: Database;
  readonly #client: DBOSClient;
  readonly #clock: DurableClock;
  readonly #tablesMs: number;

  private constructor(database: Database, client: DBOSClient, clock: DurableClock, tablesMs: number) {
    this.#database = database;
    this.#client = client;
    this.#clock = clock;
    this.#tablesMs = tablesMs;
  }

  /** `tablesMs`: how long a worker that makes or changes DBOS's tables is waited for. */
  static async open(
    database: Database,
    databaseUrl: string,
    clock: DurableClock,
    tablesMs: number,
  ): Promise<Parts> {
    const client = await DBOSClient.create({
      systemDatabaseUrl: databaseUrl,
      systemDatabasePool: database.pool,
      applicationName: APPLICATION,
      logger: { info: nothing, debug: nothing, warn: nothing, error: nothing },
    });
    return new Parts(database, client, clock, tablesMs);
  }

  async close(): Promise<void> {
    await this.#client.destroy();
  }

  /** Begins a run, once; of one that was there before, gives its script. */
  async submit(runId: string, script: string): Promise<{ readonly before?: string }> {
    const token = randomUUID();
    return await this.#change(async (client) => {
      await lock(client, runId);
      const { rowCount } = await client.query(
        `INSERT INTO nestbox.runs AS r (run_id, owner, begun_at, part, state, script, submitted)
         VALUES ($1, 0, $2, 1, 'queued', $3, $4)
         ON CONFLICT (run_id) DO UPDATE SET part = 1, state = 'queued', script = $3, submitted = $4
           WHERE r.part IS NULL`,
        [runId, Math.floor(this.#clock.now()), script, token],
      );
      if (rowCount !== 0) {
        await this.#enqueue(client, runId, 1);
        return {};
      }
      const { rows } = await client.query<{ script: string; mine: boolean }>(
        "SELECT script, submitted = $2 AS mine FROM nestbox.runs WHERE run_id = $1",
        [runId, token],
      );
      // Sent twice because the first answer was lost: it was this one that began it.
      return rows[0] === undefined || rows[0].mine ? {} : { before: rows[0].script };
    });
  }

  /** The worker that carries each of these runs on now, as far as DBOS knows. */
  async workers(runs: readonly { readonly runId: string; readonly part: number }[]) {
    const ids = runs.map(({ runId, part }) => workflowIdOf(runId, part));
    if (ids.length === 0) return new Map<string, string | undefined>();
    // Without this the list says all that it says but this.
    const found = await this.#client
      .listWorkflows({ workflowIDs: ids, loadInput: false, loadOutput: false })
      .catch(() => []);
    const byId = new Map(found.map(({ workflowID, executorId }) => [workflowID, executorId]));
    return new Map(runs.map(({ runId }, index) => [runId, byId.get(ids[index] ?? "")]));
  }

  /** Keeps the value and makes a parked run due, or nothing of both; gives the one that was there before. */
  async wake(runId: string, key: string, text: string): Promise<string | undefined> {
    const token = randomUUID();
    return await this.#change(async (client) => {
      await lock(client, runId);
      const kept = await client.query<{ value: string; token: string }>(
        `INSERT INTO nestbox.waits AS w (run_id, key, value, woken_at, token) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (run_id, key) DO UPDATE
           SET value = coalesce(w.value, excluded.value), woken_at = coalesce(w.woken_at, excluded.woken_at),
             token = coalesce(w.token, excluded.token)
         RETURNING value, token::text AS token`,
        [runId, key, text, Math.floor(this.#clock.now()), token],
      );
      const row = kept.rows[0];
      if (row?.token !== token) return row?.value;
      // A halted run cannot go on, but it can end.
      await this.#next(client, runId, "state = 'parked' OR (state = 'halted' AND $2 = 'cancel')", [key]);
      return undefined;
    });
  }

  /** A worker begins a part; `undefined`: it is no longer the one that may. */
  async begin(runId: string, part: number, deployment: string): Promise<Begun | undefined> {
    const rows = await this.#database.query(
      `UPDATE nestbox.runs
         SET state = 'running', wake_at = NULL, message = NULL, deployment = coalesce(deployment, $3)
       WHERE run_id = $1 AND part = $2 AND state IN ('queued', 'running', 'parked') RETURNING script`,
      [runId, part, deployment],
    );
    const script = rows[0]?.["script"];
    return typeof script === "string" ? { script } : undefined;
  }

  /** Says `false` when one of the keys has been woken meanwhile: the run goes on at once. */
  async park(
    runId: string,
    part: number,
    owner: string,
    keys: readonly string[],
    wakeAt: number | undefined,
  ): Promise<boolean> {
    return await this.#change(async (client) => {
      await lock(client, runId);
      const woken = await client.query(
        "SELECT 1 FROM nestbox.waits WHERE run_id = $1 AND key = ANY($2) AND value IS NOT NULL LIMIT 1",
        [runId, keys],
      );
      if (woken.rowCount !== 0) return false;
      // With a timer, the part that it begins is the next one; a wake begins the one after that.
      const { rows } = await client.query<{ part: number; deployment: string }>(
        `UPDATE nestbox.runs SET state = 'parked', deaths = 0, wake_at = $4::bigint,
           part = CASE WHEN $4::bigint IS NULL THEN part ELSE part + 1 END
         WHERE run_id = $1 AND part = $2 AND owner = $3 AND state = 'running' RETURNING part, deployment`,
        [runId, part, owner, wakeAt === undefined ? null : Math.ceil(wakeAt)],
      );
      const row = rows[0];
      if (row !== undefined && wakeAt !== undefined) {
        const delayMs = Math.max(0, wakeAt - this.#clock.now());
        await this.#enqueue(client, runId, row.part, row.deployment, delayMs);
      }
      return true;
    });
  }

  /**
   * It stays as it is, and says why, until somebody resumes it; or it has ended. With an `owner`, only while nobody has
   * taken the run over from that one.
   */
  async stop(
    runId: string,
    part: number,
    owner: string | undefined,
    state: "halted" | "ended",
    message?: string,
  ): Promise<void> {
    await this.#database.query(
      `UPDATE nestbox.runs SET state = $4, message = $5
       WHERE run_id = $1 AND part = $2 AND ($3::bigint IS NULL OR owner = $3) AND state IN ('queued', 'running')`,
      [runId, part, owner ?? null, state, message?.slice(0, MAX_MESSAGE) ?? null],
    );
  }

  /** The worker lets go of it: another one may begin at once. */
  async release(runId: string, part: number, owner: string | undefined): Promise<void> {
    await this.#change(async (client) => {
      await lock(client, runId);
      await this.#next(
        client,
        runId,
        "state = 'running' AND part = $2 AND ($3::bigint IS NULL OR owner = $3)",
        [part, owner ?? null],
      );
    });
  }

  async resume(runId: string): Promise<boolean> {
    return await this.#change(async (client) => {
      await lock(client, runId);
      return await this.#next(client, runId, "state = 'halted'");
    });
  }

  /** Removes a run that has ended with all that it left. */
  async remove(runId: string): Promise<boolean> {
    const [ended] = await this.#database.query(ENDED, [runId]);
    if (ended === undefined) return false;
    // DBOS's first: were this process to die in between, they would stay, and a later run of this id never begin.
    const length = Number(ended["part"] ?? 0);
    const ids = Array.from({ length }, (_, index) => workflowIdOf(runId, index + 1));
    if (ids.length > 0) await this.#client.deleteWorkflows(ids);
    return await this.#database.transaction(async (client) => {
      await lock(client, runId);
      const { rowCount } = await client.query(ENDED, [runId]);
      if (rowCount === 0) return false;
      for (const table of ["steps", "waits", "large", "runs"])
        await client.query(`DELETE FROM nestbox.${table} WHERE run_id = $1`, [runId]);
      return true;
    });
  }

  /**
   * A transaction that hands DBOS a part. The first worker makes DBOS's tables step by step, and one of a newer version
   * changes them; meanwhile they lack something, and the transaction is tried again, whole.
   */
  async #change<T>(work: (client: ClientBase) => Promise<T>): Promise<T> {
    const began = this.#clock.now();
    for (let seenAt = began; ;) {
      try {
        return await this.#database.transaction(work);
      } catch (error) {
        if (!lacksTables(error)) throw error;
        const now = this.#clock.now();
        const isMaking = await isLaunching(this.#database);
        if (isMaking) seenAt = now;
        if (now - seenAt >= NOBODY_MS || now - began >= this.#tablesMs) throw tablesError(isMaking, error);
      }
      await new Promise<void>((resolve) => this.#clock.after(TABLES_PAUSE_MS, resolve));
    }
  }

  /** Begins the next part of a run that is as `when` says; says whether it was. */
  async #next(
    client: ClientBase,
    runId: string,
    when: string,
    values: readonly unknown[] = [],
  ): Promise<boolean> {
    const { rows } = await client.query<{ part: number; deployment: string | null }>(
      `UPDATE nestbox.runs SET part = part + 1, state = 'queued', wake_at = NULL, message = NULL, deaths = 0
       WHERE run_id = $1 AND (${when}) RETURNING part, deployment`,
      [runId, ...values],
    );
    const row = rows[0];
    if (row === undefined) return false;
    await this.#enqueue(client, runId, row.part, row.deployment ?? undefined);
    return true;
  }

  async #enqueue(
    client: ClientBase,
    runId: string,
    part: number,
    deployment?: string,
    delayMs?: number,
  ): Promise<void> {
    const options = {
      queueName: QUEUE,
      workflowName: WORKFLOW,
      workflowID: workflowIdOf(runId, part),
      ...(deployment === undefined ? {} : { appVersion: deployment }),
      ...(delayMs === undefined ? {} : { delaySeconds: delayMs / 1_000 }),
    };
    await this.#client.enqueueInTransaction(client, options, runId, part);
  }
}

/** A run that nobody carries on any more. */
const ENDED = `SELECT part FROM nestbox.runs r WHERE run_id = $1 AND (state IS NULL OR state = 'ended')
  AND EXISTS (SELECT 1 FROM nestbox.steps s WHERE s.run_id = r.run_id AND s.key = 'end' AND s.state = 1)`;
const MAX_MESSAGE = 10_000;
const TABLES_PAUSE_MS = 200;
/** A worker that has just started comes to it within this. */
const NOBODY_MS = 1_000;
/** Of PostgreSQL: there is no such schema, table, column, function or type; or no such constraint to conflict with. */
const LACKS = new Set(["3F000", "42P01", "42703", "42883", "42704", "42P10"]);

function lacksTables(error: unknown): boolean {
  const cause = error instanceof DbosError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" && LACKS.has(cause.code);
}

/** One passes by itself, the other does not. */
function tablesError(isMaking: boolean, cause: unknown): DbosError {
  return isMaking
    ? new DbosError("unreachable", "A worker is still making DBOS's tables in this database", { cause })
    : new DbosError(
        "refused",
        "DBOS has no tables in this database yet, or those of another version: a worker of this version makes them",
        { cause },
      );
}

/** Parking and waking of one run come one after the other, whether its row is there or not. */
async function lock(client: ClientBase, runId: string): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('nestbox run ' || $1, 0))", [runId]);
}

function nothing(): void {
  // What the client has to say is in its rejections.
}
