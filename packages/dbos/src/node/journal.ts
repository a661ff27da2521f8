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
import { parse, type Values } from "./values.ts";
import type { Watch } from "./watch.ts";

export interface JournalOptions {
  readonly database: Database;
  readonly values: Values;
  readonly parts: Parts;
  readonly watch: Watch;
  readonly clock: DurableClock;
  readonly maxSteps: number;
}

export interface HeldJournal extends RunJournal {
  /** Of the claim; `undefined` before the first step. */
  readonly owner: () => string | undefined;
  /** Another process has taken the run over. */
  readonly lost: () => boolean;
}

export function createJournal(runId: string, options: JournalOptions): HeldJournal {
  checkRunId(runId);
  const { database, values, parts, watch, clock, maxSteps } = options;
  let claiming: Promise<HeldRun> | undefined;
  let held: HeldRun | undefined;

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

  return {
    runId,
    owner: () => held?.owner,
    lost: () => held?.lost === true,

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
      if (step.repeatable !== true) await run.write(key, "begun");
      let value: JsonValue;
      try {
        value = await execute();
      } catch (error) {
        await keepNothing(run, key);
        throw error;
      }
      run.check();
      const text = values.text(value);
      await run.write(key, "done", await values.store(runId, text));
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
}
