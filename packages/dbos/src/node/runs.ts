import {
  durableClock,
  type DurableClock,
  type DurableScript,
  type RunJournal,
} from "@nestbox/codemode/durable";
import type { ScriptOutcome } from "@nestbox/codemode";
import type { JsonValue } from "@nestbox/tool";
import { DbosError } from "../errors.ts";
import { checkRunId } from "../run-id.ts";
import { type Database, openDatabase, type Row } from "./database.ts";
import { createJournal, type HeldJournal, type JournalOptions } from "./journal.ts";
import { Parts, type RunState } from "./parts.ts";
import { prepareTables } from "./tables.ts";
import { createValues, parse } from "./values.ts";
import { Watch } from "./watch.ts";

export interface DbosOptions {
  /** `postgresql://user:password@host:port/database`. Our tables are made in it where they are not. */
  readonly databaseUrl: string;
  readonly clock?: DurableClock;
  /** Connections to the database, besides those of DBOS itself in a worker. Default 10. */
  readonly connections?: number;
  /** How long a database that does not answer is waited for. Default 60,000 ms. */
  readonly unavailableMs?: number;
  /** How often is looked for what other processes have woken. Default 200 ms. */
  readonly pollMs?: number;
  /** Characters of JSON above which a value stands once beside the steps, under its hash. Default 16,384. */
  readonly inlineChars?: number;
  /** Characters of JSON of one value. Default 134,217,728. */
  readonly maxValueChars?: number;
  /** Steps of one run. Default 100,000. */
  readonly maxSteps?: number;
}

export interface DbosRun {
  readonly runId: string;
  readonly begunAt: number;
  /** `undefined`: it was not submitted, whoever has its journal carries it on, and it has not ended. */
  readonly state: RunState | undefined;
  /** When a parked run goes on by itself, since the epoch. */
  readonly wakeAt: number | undefined;
  /** Why it is halted. */
  readonly message: string | undefined;
  /** The workers that began it, and the only ones that carry it on. */
  readonly deployment: string | undefined;
}

/** What a person is asked, and has not answered. */
export interface DbosQuestion {
  readonly runId: string;
  readonly key: string;
  readonly question: JsonValue;
  readonly askedAt: number;
}

export interface DbosRuns {
  /** The journal of a run, whoever carries it on. A wake of it makes a parked run due. */
  readonly run: (runId: string) => RunJournal;
  /** Begins a run on the workers, once; says whether this began it. Rejects with `refused` before the first worker. */
  submit(runId: string, script: DurableScript): Promise<{ readonly begun: boolean }>;
  /** The end of a run, now or when it has ended; never of one that stays halted. */
  result(runId: string, options?: { readonly signal?: AbortSignal }): Promise<ScriptOutcome>;
  status(runId: string): Promise<DbosRun | undefined>;
  /** The oldest first, 10,000 at most. */
  runs(options?: { readonly limit?: number; readonly state?: RunState }): Promise<readonly DbosRun[]>;
  /** The oldest first, 10,000 at most. */
  questions(options?: { readonly limit?: number }): Promise<readonly DbosQuestion[]>;
  /** Has a halted run tried again; says whether it was halted. */
  resume(runId: string): Promise<boolean>;
  /** Removes a run that has ended with all that it left; says whether it did. */
  remove(runId: string): Promise<boolean>;
  close(): Promise<void>;
}

/** What a worker has besides. */
export interface OpenRuns extends DbosRuns {
  readonly journal: (runId: string) => HeldJournal;
  readonly parts: Parts;
  readonly database: Database;
  readonly clock: DurableClock;
}

const MAX_LISTED = 10_000;

/** Rejects with `unreachable` or `refused` when the database cannot be used. */
export async function openDbos(options: DbosOptions): Promise<DbosRuns> {
  return await openRuns(options);
}

export async function openRuns(options: DbosOptions): Promise<OpenRuns> {
  const { databaseUrl, clock = durableClock } = options;
  const database = openDatabase({
    databaseUrl,
    clock,
    connections: options.connections ?? 10,
    unavailableMs: options.unavailableMs ?? 60_000,
  });
  let parts: Parts;
  try {
    await prepareTables(database);
    parts = await Parts.open(database, databaseUrl, clock);
  } catch (error) {
    await database.close();
    throw error;
  }
  const values = createValues(database, {
    inlineChars: options.inlineChars ?? 16_384,
    maxValueChars: options.maxValueChars ?? 134_217_728,
  });
  const watch = new Watch(database, clock, options.pollMs ?? 200);
  const journalOptions: JournalOptions = {
    database,
    values,
    parts,
    watch,
    clock,
    maxSteps: options.maxSteps ?? 100_000,
  };
  const journal = (runId: string): HeldJournal => createJournal(runId, journalOptions);
  let closing: Promise<void> | undefined;

  return {
    database,
    parts,
    clock,
    journal,
    run: journal,

    async submit(runId, script) {
      checkRunId(runId);
      // Only what JSON keeps: a worker sees nothing else.
      return {
        begun: await parts.submit(runId, values.text(JSON.parse(JSON.stringify(script)) as JsonValue)),
      };
    },

    async result(runId, { signal } = {}) {
      checkRunId(runId);
      signal?.throwIfAborted();
      const stop = new AbortController();
      const abort = (): void => stop.abort();
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const wait = await journal(runId).wait("end", null, { signal: stop.signal });
        if (wait.kind === "waiting") await orAborted(wait.woken, signal);
        const rows = await database.query(
          "SELECT value, hash FROM nestbox.steps WHERE run_id = $1 AND key = 'end' AND state = 1",
          [runId],
        );
        const row = rows[0];
        if (row === undefined) throw new DbosError("journal", `The end of the run ${runId} is gone`);
        const end = await values.load(runId, { value: textOf(row, "value"), hash: textOf(row, "hash") });
        // Written by the run's last step.
        return end as unknown as ScriptOutcome;
      } finally {
        signal?.removeEventListener("abort", abort);
        stop.abort();
      }
    },

    async status(runId) {
      const rows = await database.query(`SELECT * FROM (${RUNS}) r WHERE run_id = $1`, [runId]);
      return rows[0] === undefined ? undefined : runOf(rows[0]);
    },

    async runs({ limit = MAX_LISTED, state } = {}) {
      const rows = await database.query(
        `SELECT * FROM (${RUNS}) r WHERE $2::text IS NULL OR state = $2 ORDER BY begun_at, run_id LIMIT $1`,
        [Math.min(limit, MAX_LISTED), state ?? null],
      );
      return rows.map(runOf);
    },

    async questions({ limit = MAX_LISTED } = {}) {
      const rows = await database.query(
        `SELECT run_id, key, question, asked_at FROM nestbox.waits w
         WHERE question IS NOT NULL AND value IS NULL AND NOT (${hasEnded("w")})
         ORDER BY asked_at, run_id, key LIMIT $1`,
        [Math.min(limit, MAX_LISTED)],
      );
      return rows.map((row) => ({
        runId: String(row["run_id"]),
        key: String(row["key"]),
        question: parse(String(row["question"])),
        askedAt: Number(row["asked_at"]),
      }));
    },

    resume: (runId) => parts.resume(runId),
    remove: (runId) => parts.remove(runId),

    close() {
      closing ??= (async () => {
        watch.close();
        await parts.close();
        await database.close();
      })();
      return closing;
    },
  };
}

const hasEnded = (row: string): string =>
  `EXISTS (SELECT 1 FROM nestbox.steps s WHERE s.run_id = ${row}.run_id AND s.key = 'end' AND s.state = 1)`;
/** What has an end has ended, whoever wrote it. */
const RUNS = `SELECT run_id, begun_at, wake_at, message, deployment,
  CASE WHEN ${hasEnded("runs")} THEN 'ended' ELSE state END AS state FROM nestbox.runs AS runs`;
const STATES: readonly RunState[] = ["queued", "running", "parked", "halted", "ended"];

function runOf(row: Row): DbosRun {
  const wakeAt = textOf(row, "wake_at");
  return {
    runId: String(row["run_id"]),
    begunAt: Number(row["begun_at"]),
    state: STATES.find((state) => state === row["state"]),
    wakeAt: wakeAt === null ? undefined : Number(wakeAt),
    message: textOf(row, "message") ?? undefined,
    deployment: textOf(row, "deployment") ?? undefined,
  };
}

function textOf(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
