/**
 * The three functions of a run's journal, kept in PostgreSQL beside DBOS's own tables. The first step claims the run
 * and reads what is there; a step that may be repeated is then one statement, one that may not is two, and one that is
 * there already is none.
 */
import type { JsonValue } from "@nestbox/tool";
import type { DurableClock, RunJournal, Step, StepOptions, Wait, Woken } from "@nestbox/codemode/durable";
import { DbosError } from "../errors.ts";
import { checkRunId } from "../run-id.ts";
import type { Database } from "./database.ts";
import { HeldRun } from "./held-run.ts";
import type { Parts } from "./parts.ts";
import { parse, type Stored, type Values } from "./values.ts";
import type { Watch } from "./watch.ts";

export interface JournalOptions {
  readonly database: Database;
  readonly values: Values;
  readonly parts: Parts;
  readonly watch: Watch;
  readonly clock: DurableClock;
  readonly maxSteps: number;
  /** Until then the outcome of what has been done is kept as soon as it can be, however long that takes. */
  readonly giveUp?: AbortSignal | undefined;
}

const KEEP_PAUSE_MS = 1_000;

export interface HeldJournal extends RunJournal {
  /** Of the claim; `undefined` before the first step. */
  readonly owner: () => string | undefined;
  /** Another process has taken the run over. */
  readonly lost: () => boolean;
  /** The database was away, or took no writes, for longer than is waited for. */
  readonly away: () => boolean;
}

export function createJournal(runId: string, options: JournalOptions): HeldJournal {
  checkRunId(runId);
  const { database, values, parts, watch, clock, maxSteps, giveUp } = options;
  let claiming: Promise<HeldRun> | undefined;
  let held: HeldRun | undefined;
  let away = false;

  async function noting<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isUnreachable(error)) away = true;
      throw error;
    }
  }

  /** What has had its effect is not made undone by a database that is away: it would be made twice, or be unknown. */
  async function keep(run: HeldRun, key: string, text: string): Promise<void> {
    for (;;) {
      try {
        await run.write(key, "done", await values.store(runId, text));
        return;
      } catch (error) {
        if (!isUnreachable(error) || giveUp === undefined || giveUp.aborted) throw error;
      }
      await new Promise<void>((resolve) => clock.after(KEEP_PAUSE_MS, resolve));
    }
  }

  async function hold(): Promise<HeldRun> {
    held?.check();
    claiming ??= HeldRun.claim(runId, database, clock.now());
    try {
      held = await claiming;
    } catch (error) {
      claiming = undefined;
      throw error;
    }
    held.check();
    return held;
  }

  async function keepNothing(run: HeldRun, key: string): Promise<void> {
    if (run.lost || !(await run.drop(key))) return;
    claiming = undefined;
    held = undefined;
  }

  async function known(key: string): Promise<JsonValue | undefined> {
    const rows = await database.query(
      "SELECT value FROM nestbox.waits WHERE run_id = $1 AND key = $2 AND value IS NOT NULL",
      [runId, key],
    );
    const value = rows[0]?.["value"];
    return typeof value === "string" ? parse(value) : undefined;
  }

  const journal: RunJournal = {
    runId,

    async step(key: string, execute: () => Promise<JsonValue>, step: StepOptions = {}): Promise<Step> {
      const run = await hold();
      const state = run.state(key);
      if (state === "done")
        return { kind: "done", value: await values.load(runId, await run.read(key)), replayed: true };
      if (state === "interrupted") return { kind: "interrupted" };
      if (step.repeatable !== true && state === "begun") {
        await run.write(key, "interrupted");
        return { kind: "interrupted" };
      }
      if (run.size >= maxSteps)
        throw new DbosError("journal", `The run ${runId} has more than ${maxSteps} steps`);
      if (step.repeatable !== true) await run.write(key, "begun", begunOf(step));
      let value: JsonValue;
      try {
        value = await execute();
      } catch (error) {
        await keepNothing(run, key);
        throw error;
      }
      run.check();
      const text = values.text(value);
      await keep(run, key, text);
      // What is handed on is what another process would be given.
      return { kind: "done", value: parse(text), replayed: false };
    },

    async wait(key, question, { signal }): Promise<Wait> {
      const before = await known(key);
      if (before !== undefined) return { kind: "woken", value: before };
      if (question !== null) {
        await database.query(
          `INSERT INTO nestbox.waits AS w (run_id, key, question, asked_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (run_id, key) DO UPDATE
             SET question = excluded.question, asked_at = coalesce(w.asked_at, excluded.asked_at)`,
          [runId, key, values.text(question), Math.floor(clock.now())],
        );
      }
      return { kind: "waiting", woken: watch.wait(runId, key, signal) };
    },

    async wake(key, value): Promise<Woken> {
      const text = values.text(value);
      const first = await parts.wake(runId, key, text);
      const kept = parse(first ?? text);
      watch.tell(runId, key, kept);
      return first === undefined ? { kind: "stored" } : { kind: "already", value: kept };
    },
  };
  return {
    runId,
    owner: () => held?.owner,
    lost: () => held?.lost === true,
    away: () => away,
    step: (key, execute, step) => noting(() => journal.step(key, execute, step)),
    wait: (key, question, wait) => noting(() => journal.wait(key, question, wait)),
    wake: (key, value) => noting(() => journal.wake(key, value)),
  };
}

function begunOf({ begun }: StepOptions): Stored | undefined {
  return begun === undefined ? undefined : { value: JSON.stringify(begun), hash: null };
}

const isUnreachable = (error: unknown): boolean => error instanceof DbosError && error.code === "unreachable";
