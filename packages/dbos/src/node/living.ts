/**
 * Who of the workers lives. Each holds a lock of its name on a connection of its own, which PostgreSQL frees when the
 * process or its machine is gone. Whoever can take the lock of a worker that has runs puts those runs back into the
 * queue: one does, and none while the worker lives.
 */
import { DBOS } from "@dbos-inc/dbos-sdk";
import type { DurableClock } from "@nestbox/codemode/durable";
import { Client } from "pg";
import { DbosError } from "../errors.ts";
import type { Database } from "./database.ts";
import { DEATH } from "./entries.ts";
import { LAUNCH, LAUNCHED } from "./launch.ts";
import { QUEUE, WORKFLOW } from "./parts.ts";

export interface LivingOptions {
  readonly databaseUrl: string;
  readonly executorId: string;
  readonly database: Database;
  readonly clock: DurableClock;
  readonly lookMs: number;
  /** After its own connection was lost, for so long a worker takes nobody for dead: the others are on their way back. */
  readonly graceMs: number;
  readonly maxDeaths: number;
  /** Whether this process has such a workflow of DBOS under way. */
  readonly carries: (workflowId: string) => boolean;
  readonly onLog: (level: string, message: string) => void;
}

/** Runs of one dead worker that are put back at a time. */
const BATCH = 1_000;
const LAUNCH_PAUSE_MS = 100;
/** So that the lock of a machine that is gone without a word is free after half a minute, and not after hours. */
const KEEP_ALIVE =
  "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4";
const LOCK = "SELECT pg_advisory_lock(hashtextextended('nestbox worker ' || $1, 0))";
const TRY = "SELECT pg_try_advisory_lock(hashtextextended('nestbox worker ' || $1, 0)) AS taken";
const FREE = "SELECT pg_advisory_unlock(hashtextextended('nestbox worker ' || $1, 0))";

export class Living {
  readonly #options: LivingOptions;
  #client: Client | undefined;
  #quietUntil = 0;
  /** Workflows that are this worker's and that nothing of is under way here, and since when. */
  #left: ReadonlyMap<string, number> = new Map();
  #closed = false;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor(options: LivingOptions) {
    this.#options = options;
  }

  /** Resolves when this worker is known to live. */
  async start(): Promise<void> {
    await this.#connect();
  }

  /** One worker at a time: DBOS makes and changes its tables when it is launched, and cannot do so twice at once. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const client = this.#client;
    if (client === undefined) throw new DbosError("unreachable", "The connection to the database was lost");
    // Asked again and again: one of DBOS's statements waits for all that wait within a statement.
    for (;;) {
      const { rows } = await client.query<{ taken: boolean }>(LAUNCH);
      if (rows[0]?.taken === true) break;
      await new Promise<void>((resolve) => this.#options.clock.after(LAUNCH_PAUSE_MS, resolve));
    }
    try {
      return await work();
    } finally {
      await client.query(LAUNCHED);
    }
  }

  /** Begins to look after the others; DBOS must have been launched. */
  watch(): void {
    this.#arm();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#looking;
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const { databaseUrl, executorId } = this.#options;
    const client = new Client({
      connectionString: databaseUrl,
      keepAlive: true,
      application_name: "nestbox worker",
    });
    client.on("error", () => {
      if (this.#client === client) this.#client = undefined;
    });
    try {
      await client.connect();
      await client.query(KEEP_ALIVE);
      await client.query(LOCK, [executorId]);
      this.#client = client;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  #arm(): void {
    if (this.#closed) return;
    const { clock, lookMs, onLog } = this.#options;
    this.#cancel = clock.after(lookMs, () => {
      this.#looking = this.#look()
        .catch((error: unknown) => onLog("warn", `Looking after other workers: ${String(error)}`))
        .finally(() => this.#arm());
    });
  }

  async #look(): Promise<void> {
    const { clock, database, graceMs, executorId } = this.#options;
    if (this.#client === undefined) {
      await this.#connect();
      this.#quietUntil = clock.now() + graceMs;
    }
    if (clock.now() < this.#quietUntil) return;
    await this.#takeBack();
    // By name, each once: a list of runs would be as long as the fleet is large, and looked at by every worker.
    const others = await database.query(
      `SELECT DISTINCT executor_id FROM dbos.workflow_status
       WHERE status = 'PENDING' AND name = $1 AND executor_id <> $2`,
      [WORKFLOW, executorId],
    );
    for (const row of others) {
      const other = String(row["executor_id"]);
      const client = this.#client;
      if (client === undefined || this.#closed) continue;
      const { rows } = await client.query<{ taken: boolean }>(TRY, [other]);
      if (rows[0]?.taken !== true) continue;
      try {
        await this.#recover(other);
      } finally {
        await client.query(FREE, [other]);
      }
    }
  }

  /**
   * What DBOS has begun here and could not keep the end of, because the database took no writes: it holds it for under
   * way as long as this worker lives. Begun again, it finds how its part stands.
   */
  async #takeBack(): Promise<void> {
    const { clock, database, executorId, graceMs, carries, onLog } = this.#options;
    const rows = await database.query(
      `SELECT workflow_uuid FROM dbos.workflow_status
       WHERE status = 'PENDING' AND name = $1 AND executor_id = $2 LIMIT ${BATCH}`,
      [WORKFLOW, executorId],
    );
    const now = clock.now();
    const ids = rows.map((row) => String(row["workflow_uuid"])).filter((id) => !carries(id));
    const left = new Map(ids.map((id) => [id, this.#left.get(id) ?? now]));
    // One that has only just been handed out, or whose end is just being kept, is not seen again.
    const due = ids.filter((id) => now - (left.get(id) ?? now) >= graceMs);
    for (const id of due) left.delete(id);
    this.#left = left;
    if (due.length === 0) return;
    await DBOS.resumeWorkflows(due, { queueName: QUEUE });
    onLog("info", `${due.length} runs that this worker had lost sight of are in the queue again`);
  }

  /** While its lock is held here: nobody else does, and it has nothing to say any more. */
  async #recover(executorId: string): Promise<void> {
    const { database, maxDeaths, onLog } = this.#options;
    const pending = await DBOS.listWorkflows({
      status: "PENDING",
      workflowName: WORKFLOW,
      executorId,
      loadInput: false,
      loadOutput: false,
      limit: BATCH,
    });
    const ids = pending.map((workflow) => workflow.workflowID);
    // A run that kills whoever carries it on is not handed round for ever.
    const rows = await database.query(
      `WITH found AS (
         UPDATE nestbox.runs SET deaths = deaths + 1,
           state = CASE WHEN deaths >= $2 THEN 'halted' ELSE state END,
           message = CASE WHEN deaths >= $2 THEN 'Its worker has died ' || (deaths + 1) || ' times' ELSE message END
         WHERE state = 'running' AND (run_id || CASE WHEN part = 1 THEN '' ELSE '#' || part END) = ANY($1)
           AND run_id = ANY($3)
         RETURNING run_id, (run_id || CASE WHEN part = 1 THEN '' ELSE '#' || part END) AS id, part, deaths, state
       ), told AS (
         INSERT INTO nestbox.waits (run_id, key, value, woken_at)
         SELECT run_id, '${DEATH}' || part || '.' || deaths,
           json_build_object('worker', $4::text, 'again', state <> 'halted')::text, $5
         FROM found ON CONFLICT DO NOTHING
       )
       SELECT id, state FROM found`,
      [
        ids,
        maxDeaths,
        ids.map((id) => id.replace(/#\d+$/, "")),
        executorId,
        Math.floor(this.#options.clock.now()),
      ],
    );
    const halted = new Set(rows.filter((row) => row["state"] === "halted").map((row) => String(row["id"])));
    const due = ids.filter((id) => !halted.has(id));
    if (halted.size > 0) await DBOS.cancelWorkflows([...halted]);
    if (due.length > 0) await DBOS.resumeWorkflows(due, { queueName: QUEUE });
    onLog("info", `The worker ${executorId} is gone: ${due.length} runs go on elsewhere`);
  }
}
