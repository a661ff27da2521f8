/**
 * Runs in a SQLite file. Every step is on disk before it is told of, and the one that begins what may not be repeated
 * is there before it begins: a process that is killed at any place leaves a file from which another one goes on.
 * Several processes may have the file open; one of them carries a run on.
 */
import { createHash } from "node:crypto";
import { chmodSync, closeSync, existsSync, openSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { JsonValue } from "@nestbox/tool";
import { CodemodeError } from "../../runner/errors.ts";
import { messageOf } from "../../shared/guards.ts";
import type { JournalContents, JournalStep, JournalWait } from "../history.ts";
import { KEY, type RunJournal, type Step, type StepOptions, type Wait, type Woken } from "../journal.ts";
import { prepareSchema } from "./schema.ts";

export interface SqliteJournalOptions {
  /** Made when it is not there, readable by its owner only; `:memory:` keeps nothing. */
  readonly path: string;
  /**
   * `power`: what was kept survives the loss of power (a flush to the disk a step). `process`: it survives the death
   * of any process. Default `power`.
   */
  readonly survives?: "power" | "process";
  /** How long a write waits for another process's. Default 5,000 ms. */
  readonly busyMs?: number;
  /** How often is looked for what other processes have woken. Default 200 ms. */
  readonly pollMs?: number;
  /** Steps of one run. Default 500,000. */
  readonly maxSteps?: number;
  /** Characters of JSON of one value. Default 268,435,456. */
  readonly maxValueChars?: number;
  /** Characters of JSON above which a value stands beside the steps, once, under its hash. Default 65,536. */
  readonly inlineChars?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

export interface SqliteRun {
  readonly runId: string;
  readonly begunAt: number;
  readonly ended: boolean;
  /** Questions that nobody has answered. */
  readonly open: number;
}

/** What a person is asked. */
export interface SqliteQuestion {
  readonly runId: string;
  readonly key: string;
  readonly question: JsonValue;
  readonly askedAt: number;
}

export interface SqliteJournal {
  run(runId: string): RunJournal;
  /** The oldest first. */
  runs(options?: { readonly limit?: number; readonly unended?: boolean }): readonly SqliteRun[];
  questions(options?: { readonly limit?: number }): readonly SqliteQuestion[];
  /** All that stands in a run's journal, for `readHistory`; takes the run from nobody. */
  contents(runId: string): JournalContents;
  /** Removes a run that has ended, with all that it left; says whether it did. */
  remove(runId: string): boolean;
  close(): void;
}

interface Waiting {
  readonly runId: string;
  readonly key: string;
  readonly tell: (value: JsonValue) => void;
}

const MAX_LISTED = 10_000;

/** Throws {@link CodemodeError} `journal` when the file cannot be used. */
export function openSqliteJournal(options: SqliteJournalOptions): SqliteJournal {
  const {
    path,
    survives = "power",
    busyMs = 5_000,
    pollMs = 200,
    maxSteps = 500_000,
    maxValueChars = 268_435_456,
    inlineChars = 65_536,
    now = Date.now,
  } = options;
  const db = open(path, busyMs, survives);
  const statements = new Map<string, StatementSync>();
  const waiting = new Set<Waiting>();
  let polling: ReturnType<typeof setInterval> | undefined;
  let closed = false;

  function sql(text: string): StatementSync {
    if (closed) throw new CodemodeError("journal", "The journal is closed");
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = db.prepare(text);
      statements.set(text, statement);
    }
    return statement;
  }

  function transaction<T>(work: () => T): T {
    sql("BEGIN IMMEDIATE").run();
    try {
      const result = work();
      sql("COMMIT").run();
      return result;
    } catch (error) {
      if (db.isTransaction) sql("ROLLBACK").run();
      throw error;
    }
  }

  function textOf(value: JsonValue): string {
    const text = JSON.stringify(value);
    if (text.length <= maxValueChars) return text;
    const message = `A value of ${text.length} characters is more than the limit of ${maxValueChars}`;
    throw new CodemodeError("journal", message);
  }

  function writeStep(runId: string, key: string, state: number, text: string | undefined): void {
    let hash: string | null = null;
    if (text !== undefined && text.length > inlineChars) {
      const body = Buffer.from(text, "utf8");
      hash = createHash("sha256").update(body).digest("hex");
      sql("INSERT INTO large (hash, body) VALUES (?, ?) ON CONFLICT DO NOTHING").run(hash, body);
    }
    sql(
      `INSERT INTO steps (run_id, key, state, value, hash) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET state = excluded.state, value = excluded.value, hash = excluded.hash`,
    ).run(runId, key, state, hash === null ? (text ?? null) : null, hash);
  }

  function readStep(runId: string, key: string): { state: number; value: JsonValue } | undefined {
    const row = sql("SELECT state, value, hash FROM steps WHERE run_id = ? AND key = ?").get(runId, key);
    if (row === undefined) return undefined;
    const state = Number(row["state"]);
    // What it began with is for those who look.
    if (state !== 1) return { state, value: null };
    const text = typeof row["hash"] === "string" ? readLarge(row["hash"]) : String(row["value"]);
    return { state, value: JSON.parse(text) as JsonValue };
  }

  /** Forgets a step that failed; says whether the run is forgotten with it, because it has not even begun. */
  function keepNothing(runId: string, key: string, owner: number): boolean {
    return transaction(() => {
      if (Number(sql("SELECT owner FROM runs WHERE run_id = ?").get(runId)?.["owner"]) !== owner)
        return false;
      sql("DELETE FROM steps WHERE run_id = ? AND key = ? AND state = 0").run(runId, key);
      const gone = sql(
        "DELETE FROM runs WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM steps WHERE steps.run_id = ?1)",
      ).run(runId).changes;
      return Number(gone) > 0;
    });
  }

  function readLarge(hash: string): string {
    const body = sql("SELECT body FROM large WHERE hash = ?").get(hash)?.["body"];
    if (!(body instanceof Uint8Array))
      throw new CodemodeError("journal", `The large value ${hash} is not there`);
    if (createHash("sha256").update(body).digest("hex") !== hash)
      throw new CodemodeError("journal", `The large value ${hash} is damaged`);
    return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  }

  function stepOf(runId: string, key: string, state: number): JournalStep {
    if (state === 1) return { key, state: "done", value: readStep(runId, key)?.value ?? null };
    const text = sql("SELECT value FROM steps WHERE run_id = ? AND key = ?").get(runId, key)?.["value"];
    return {
      key,
      state: state === 2 ? "interrupted" : "begun",
      ...(typeof text === "string" ? { value: JSON.parse(text) as JsonValue } : {}),
    };
  }

  function journalOf(runId: string): RunJournal {
    let owner: number | undefined;
    let steps = 0;

    /** Within a transaction: this object holds the run, or takes it over with its first step. */
    function hold(): void {
      if (owner === undefined) {
        sql(
          `INSERT INTO runs (run_id, owner, begun_at) VALUES (?, 1, ?)
           ON CONFLICT DO UPDATE SET owner = owner + 1`,
        ).run(runId, Math.floor(now()));
        steps = Number(sql("SELECT count(*) AS n FROM steps WHERE run_id = ?").get(runId)?.["n"]);
      }
      const held = Number(sql("SELECT owner FROM runs WHERE run_id = ?").get(runId)?.["owner"]);
      owner ??= held;
      if (held !== owner)
        throw new CodemodeError("journal", `Another process has taken the run ${runId} over`);
    }

    return {
      runId,
      async step(key: string, execute: () => Promise<JsonValue>, step: StepOptions = {}): Promise<Step> {
        const begun = transaction((): Step | undefined => {
          hold();
          const known = readStep(runId, key);
          if (known?.state === 1) return { kind: "done", value: known.value, replayed: true };
          if (known?.state === 2) return { kind: "interrupted" };
          if (step.repeatable === true) return undefined;
          if (known !== undefined) {
            sql("UPDATE steps SET state = 2 WHERE run_id = ? AND key = ?").run(runId, key);
            return { kind: "interrupted" };
          }
          if (++steps > maxSteps)
            throw new CodemodeError("journal", `The run ${runId} has more than ${maxSteps} steps`);
          writeStep(runId, key, 0, step.begun === undefined ? undefined : JSON.stringify(step.begun));
          return undefined;
        });
        if (begun !== undefined) return begun;
        let value: JsonValue;
        try {
          value = await execute();
        } catch (error) {
          if (!closed && owner !== undefined && keepNothing(runId, key, owner)) owner = undefined;
          throw error;
        }
        const text = textOf(value);
        transaction(() => {
          hold();
          writeStep(runId, key, 1, text);
        });
        return { kind: "done", value: JSON.parse(text) as JsonValue, replayed: false };
      },

      wait(key, question, { signal }): Promise<Wait> {
        return attempt(() => {
          const known = readWoken(runId, key);
          if (known !== undefined) return { kind: "woken", value: known };
          if (question !== null) {
            sql(
              `INSERT INTO waits (run_id, key, question, asked_at) VALUES (?, ?, ?, ?)
               ON CONFLICT DO UPDATE SET question = excluded.question, asked_at = coalesce(asked_at, excluded.asked_at)`,
            ).run(runId, key, textOf(question), Math.floor(now()));
          }
          const woken = new Promise<JsonValue>((tell) => listen({ runId, key, tell }, signal));
          return { kind: "waiting", woken };
        });
      },

      wake(key, value): Promise<Woken> {
        return attempt(() => {
          const text = textOf(value);
          const stored = transaction(
            () =>
              sql(
                `INSERT INTO waits (run_id, key, value, woken_at) VALUES (?, ?, ?, ?)
                 ON CONFLICT DO UPDATE SET value = excluded.value, woken_at = excluded.woken_at WHERE value IS NULL`,
              ).run(runId, key, text, Math.floor(now())).changes,
          );
          look();
          return Number(stored) > 0
            ? { kind: "stored" }
            : { kind: "already", value: readWoken(runId, key) ?? null };
        });
      },
    };
  }

  function readWoken(runId: string, key: string): JsonValue | undefined {
    const text = sql("SELECT value FROM waits WHERE run_id = ? AND key = ?").get(runId, key)?.["value"];
    return typeof text === "string" ? (JSON.parse(text) as JsonValue) : undefined;
  }

  function listen(one: Waiting, signal: AbortSignal): void {
    if (signal.aborted) return;
    waiting.add(one);
    signal.addEventListener("abort", () => forget(one), { once: true });
    if (polling !== undefined) return;
    polling = setInterval(look, pollMs);
    // Who waits holds its process itself.
    polling.unref();
  }

  function forget(one: Waiting): void {
    waiting.delete(one);
    if (waiting.size > 0) return;
    clearInterval(polling);
    polling = undefined;
  }

  /** Tells what has been woken meanwhile, by whichever process. */
  function look(): void {
    for (const one of Array.from(waiting)) {
      let value: JsonValue | undefined;
      try {
        value = readWoken(one.runId, one.key);
      } catch {
        // Another process writes, or the file is gone: the next look will tell.
        return;
      }
      if (value === undefined) continue;
      forget(one);
      one.tell(value);
    }
  }

  return {
    run: journalOf,
    runs({ limit = MAX_LISTED, unended = false } = {}) {
      return sql(
        `SELECT run_id, begun_at,
           EXISTS (SELECT 1 FROM steps s WHERE s.run_id = r.run_id AND s.key = ? AND s.state = 1) AS ended,
           (SELECT count(*) FROM waits w WHERE w.run_id = r.run_id AND w.question IS NOT NULL AND w.value IS NULL) AS open
         FROM runs r WHERE ? = 0 OR ended = 0 ORDER BY begun_at, run_id LIMIT ?`,
      )
        .all(KEY.end, unended ? 1 : 0, Math.min(limit, MAX_LISTED))
        .map((row) => ({
          runId: String(row["run_id"]),
          begunAt: Number(row["begun_at"]),
          ended: Number(row["ended"]) === 1,
          open: Number(row["open"]),
        }));
    },
    questions({ limit = MAX_LISTED } = {}) {
      return sql(
        `SELECT run_id, key, question, asked_at FROM waits
         WHERE question IS NOT NULL AND value IS NULL ORDER BY asked_at, run_id, key LIMIT ?`,
      )
        .all(Math.min(limit, MAX_LISTED))
        .map((row) => ({
          runId: String(row["run_id"]),
          key: String(row["key"]),
          question: JSON.parse(String(row["question"])) as JsonValue,
          askedAt: Number(row["asked_at"]),
        }));
    },
    contents(runId) {
      // One moment of both tables.
      return transaction(() => ({
        steps: sql("SELECT key, state FROM steps WHERE run_id = ? ORDER BY key")
          .all(runId)
          .map((row) => stepOf(runId, String(row["key"]), Number(row["state"]))),
        waits: sql("SELECT key, question, asked_at, value, woken_at FROM waits WHERE run_id = ? ORDER BY key")
          .all(runId)
          .map(waitOf),
      }));
    },
    remove(runId) {
      return transaction(() => {
        if (readStep(runId, KEY.end)?.state !== 1) return false;
        for (const table of ["steps", "waits", "runs"])
          sql(`DELETE FROM ${table} WHERE run_id = ?`).run(runId);
        sql("DELETE FROM large WHERE NOT EXISTS (SELECT 1 FROM steps WHERE steps.hash = large.hash)").run();
        return true;
      });
    },
    close() {
      if (closed) return;
      closed = true;
      clearInterval(polling);
      waiting.clear();
      db.close();
    },
  };
}

function open(path: string, busyMs: number, survives: "power" | "process"): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    // A new file is its owner's from the start, and so are those that the engine puts beside it.
    const isFile = path !== ":memory:";
    if (isFile) closeSync(openSync(path, "a", 0o600));
    db = new DatabaseSync(path, { timeout: busyMs });
    // Before anything about the file is changed: it may be another's.
    prepareSchema(db);
    if (isFile) for (const end of ["", "-wal", "-shm"]) makePrivate(`${path}${end}`);
    db.exec("PRAGMA journal_mode = WAL");
    db.exec(`PRAGMA synchronous = ${survives === "power" ? "FULL" : "NORMAL"}`);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof CodemodeError) throw error;
    throw new CodemodeError("journal", `The journal ${path} cannot be opened: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function waitOf(row: Readonly<Record<string, unknown>>): JournalWait {
  const { key, question, asked_at: askedAt, value, woken_at: wokenAt } = row;
  return {
    key: String(key),
    ...(typeof question === "string" ? { question: JSON.parse(question) as JsonValue } : {}),
    ...(typeof askedAt === "number" ? { askedAt } : {}),
    ...(typeof value === "string" ? { value: JSON.parse(value) as JsonValue } : {}),
    ...(typeof wokenAt === "number" ? { wokenAt } : {}),
  };
}

function makePrivate(path: string): void {
  if (existsSync(path)) chmodSync(path, 0o600);
}

/** What throws in a synchronous part is a rejection for the caller. */
async function attempt<T>(work: () => T): Promise<T> {
  return await new Promise((resolve) => {
    resolve(work());
  });
}
