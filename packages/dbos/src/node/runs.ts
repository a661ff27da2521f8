import { isDeepStrictEqual } from "node:util";
import {
  checkScript,
  durableClock,
  type DurableClock,
  type DurableScript,
  ENDING_CHARS,
  type EntriesOptions,
  readRunEnding,
  type RunEnding,
  type RunEntries,
  type RunJournal,
} from "@nestbox/codemode/durable";
import type { ScriptOutcome } from "@nestbox/codemode";
import type { JsonValue } from "@nestbox/tool";
import { DbosError, messageOf } from "../errors.ts";
import { checkRunId } from "../run-id.ts";
import { type Database, openDatabase, type Row } from "./database.ts";
import { readEntries } from "./entries.ts";
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
  /** How long is waited for a database that does not answer, or whose tables a worker is making. Default 60,000 ms. */
  readonly unavailableMs?: number;
  /** How often is looked for what other processes have woken. Default 200 ms. */
  readonly pollMs?: number;
  /** Characters of JSON above which a value stands once beside the steps, under its hash. Default 16,384. */
  readonly inlineChars?: number;
  /** Characters of JSON of one value. Default 134,217,728. */
  readonly maxValueChars?: number;
  /** Steps of one run. Default 100,000. */
  readonly maxSteps?: number;
  /**
   * Whether our tables are made where they are not. `false`, for whoever only asks: a database without them is
   * `refused`. Default true.
   */
  readonly makeTables?: boolean;
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
  /** Questions to people that are open. */
  readonly waitingFor: number;
  /** When it ended, since the epoch, and how: `undefined` for what has not ended. */
  readonly endedAt: number | undefined;
  readonly ok: boolean | undefined;
  /** Of a run that failed: with what, its message cut to 500 characters; `aborted` is the kind of what was cancelled. */
  readonly error: Extract<RunEnding, { readonly ok: false }>["error"];
  /** The worker that carries it on now, where DBOS tells. */
  readonly worker: string | undefined;
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
  /**
   * Begins a run on the workers, once; says whether this began it, and if not, whether it is of the same script.
   * Rejects with `refused` before the first worker; while that one makes DBOS's tables, waits for them.
   */
  submit(
    runId: string,
    script: DurableScript,
  ): Promise<{ readonly begun: true } | { readonly begun: false; readonly same: boolean }>;
  /** The end of a run, now or when it has ended; never of one that stays halted. Rejects with `misuse` when it is closed meanwhile. */
  result(runId: string, options?: { readonly signal?: AbortSignal }): Promise<ScriptOutcome>;
  status(runId: string): Promise<DbosRun | undefined>;
  /** The oldest first unless `newestFirst`, 10,000 at most. */
  runs(options?: {
    readonly limit?: number;
    readonly state?: RunState;
    readonly newestFirst?: boolean;
  }): Promise<readonly DbosRun[]>;
  /** The oldest first, 10,000 at most; of one run or of all. */
  questions(options?: { readonly limit?: number; readonly runId?: string }): Promise<readonly DbosQuestion[]>;
  /** What stands in the journal of a run, for whoever does not carry it on. */
  entries(runId: string, options?: EntriesOptions): Promise<RunEntries>;
  /** Has a halted run tried again; says whether it was halted. */
  resume(runId: string): Promise<boolean>;
  /** Removes a run that has ended with all that it left; says whether it did. */
  remove(runId: string): Promise<boolean>;
  /**
   * Writes, and changes nothing. Rejects with `unreachable`, at once, where the database does not answer or takes no
   * writes.
   */
  probe(): Promise<void>;
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

/** `giveUp`: see {@link JournalOptions}. */
export async function openRuns(options: DbosOptions, giveUp?: AbortSignal): Promise<OpenRuns> {
  const { databaseUrl, clock = durableClock } = options;
  const { unavailableMs = 60_000 } = options;
  const database = openDatabase({
    databaseUrl,
    clock,
    connections: options.connections ?? 10,
    unavailableMs,
  });
  let parts: Parts;
  try {
    await prepareTables(database, options.makeTables !== false);
    parts = await Parts.open(database, databaseUrl, clock, unavailableMs);
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
    giveUp,
  };
  const journal = (runId: string): HeldJournal => createJournal(runId, journalOptions);
  const closed = new AbortController();
  let closing: Promise<void> | undefined;

  /** With the worker of each that runs. */
  async function toldOf(rows: readonly Row[]): Promise<readonly DbosRun[]> {
    const running = rows.flatMap((row) =>
      row["state"] === "running" && row["part"] !== null
        ? [{ runId: String(row["run_id"]), part: Number(row["part"]) }]
        : [],
    );
    const workers = await parts.workers(running);
    return rows.map((row) => runOf(row, workers.get(String(row["run_id"]))));
  }

  return {
    database,
    parts,
    clock,
    journal,
    run: journal,

    async submit(runId, script) {
      checkRunId(runId);
      // Only what JSON keeps: a worker sees nothing else.
      const kept = JSON.parse(JSON.stringify(script)) as JsonValue;
      checkSubmission(kept);
      const text = values.text(kept);
      const { before } = await parts.submit(runId, text);
      return before === undefined
        ? { begun: true }
        : { begun: false, same: isDeepStrictEqual(parse(before), parse(text)) };
    },

    async result(runId, { signal } = {}) {
      checkRunId(runId);
      signal?.throwIfAborted();
      const stop = new AbortController();
      const abort = (): void => stop.abort();
      signal?.addEventListener("abort", abort, { once: true });
      try {
        const wait = await journal(runId).wait("end", null, { signal: stop.signal });
        if (wait.kind === "waiting")
          await orAborted(
            wait.woken,
            signal === undefined ? closed.signal : AbortSignal.any([signal, closed.signal]),
          );
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
      const rows = await database.query(runsOf("SELECT * FROM nestbox.runs WHERE run_id = $1"), [runId]);
      return (await toldOf(rows))[0];
    },

    async runs({ limit = MAX_LISTED, state, newestFirst = false } = {}) {
      const way = newestFirst ? "DESC" : "ASC";
      const order = `ORDER BY begun_at ${way}, run_id ${way}`;
      const most = Math.min(limit, MAX_LISTED);
      // What else there is to say of a run is only looked up for those that are told.
      const rows =
        state === undefined
          ? await database.query(`${runsOf(`SELECT * FROM nestbox.runs ${order} LIMIT $1`)} ${order}`, [most])
          : await database.query(
              `SELECT * FROM (${runsOf("SELECT * FROM nestbox.runs")}) told WHERE state = $2 ${order} LIMIT $1`,
              [most, state],
            );
      return await toldOf(rows);
    },

    async questions({ limit = MAX_LISTED, runId } = {}) {
      const rows = await database.query(
        `SELECT run_id, key, question, asked_at FROM nestbox.waits w
         WHERE question IS NOT NULL AND value IS NULL AND NOT (${hasEnded("w")})
           AND ($2::text IS NULL OR run_id = $2)
         ORDER BY asked_at, run_id, key LIMIT $1`,
        [Math.min(limit, MAX_LISTED), runId ?? null],
      );
      return rows.map((row) => ({
        runId: String(row["run_id"]),
        key: String(row["key"]),
        question: parse(String(row["question"])),
        askedAt: Number(row["asked_at"]),
      }));
    },

    entries: (runId, entriesOptions) => readEntries(database, runId, entriesOptions),
    resume: (runId) => parts.resume(runId),
    remove: (runId) => parts.remove(runId),

    async probe() {
      await database.once("UPDATE nestbox.version SET version = version");
    },

    close() {
      closing ??= (async () => {
        closed.abort(new DbosError("misuse", "The runs were closed before this one had ended"));
        watch.close();
        await parts.close();
        await database.close();
      })();
      return closing;
    },
  };
}

/** A worker refuses it as well, but only the one who submits it can mend it. */
function checkSubmission(script: JsonValue): void {
  try {
    // That is what it finds out.
    checkScript(script as unknown as DurableScript);
  } catch (cause) {
    throw new DbosError("misuse", messageOf(cause), { cause });
  }
}

const hasEnded = (row: string): string =>
  `EXISTS (SELECT 1 FROM nestbox.steps s WHERE s.run_id = ${row}.run_id AND s.key = 'end' AND s.state = 1)`;
/** Of these rows of runs; what has an end has ended, whoever wrote it. */
const runsOf = (
  rows: string,
): string => `SELECT r.run_id, r.begun_at, r.wake_at, r.message, r.deployment, r.part, told.woken_at AS ended_at,
    CASE WHEN ended.key IS NOT NULL THEN 'ended' ELSE r.state END AS state,
    left(coalesce(ended.value, large.body), ${ENDING_CHARS}) AS outcome,
    CASE WHEN ended.key IS NULL THEN (
      SELECT count(*) FROM nestbox.waits w
      WHERE w.run_id = r.run_id AND w.question IS NOT NULL AND w.value IS NULL
    ) ELSE 0 END AS waiting_for
  FROM (${rows}) r
  LEFT JOIN nestbox.steps ended ON ended.run_id = r.run_id AND ended.key = 'end' AND ended.state = 1
  LEFT JOIN nestbox.large large
    ON ended.value IS NULL AND large.run_id = ended.run_id AND large.hash = ended.hash
  LEFT JOIN nestbox.waits told ON told.run_id = r.run_id AND told.key = 'end'`;
const STATES: readonly RunState[] = ["queued", "running", "parked", "halted", "ended"];

function runOf(row: Row, worker: string | undefined): DbosRun {
  const numberOf = (column: string): number | undefined => {
    const text = textOf(row, column);
    return text === null ? undefined : Number(text);
  };
  const ending = readRunEnding(textOf(row, "outcome") ?? "");
  return {
    runId: String(row["run_id"]),
    begunAt: Number(row["begun_at"]),
    state: STATES.find((state) => state === row["state"]),
    wakeAt: numberOf("wake_at"),
    message: textOf(row, "message") ?? undefined,
    deployment: textOf(row, "deployment") ?? undefined,
    waitingFor: Number(row["waiting_for"]),
    endedAt: numberOf("ended_at"),
    ok: ending?.ok,
    error: ending?.ok === false ? ending.error : undefined,
    worker,
  };
}

function textOf(row: Row, column: string): string | null {
  const value = row[column];
  return typeof value === "string" ? value : null;
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
