/**
 * The three functions of a run's journal, kept by a virtual object of the server that has the run's id for its key.
 * The first step claims the run and reads what is there; a step that may be repeated is then one message to the
 * server, one that may not is two, and one that is there already is none.
 */
import type { JsonValue } from "@nestbox/tool";
import {
  type DurableClock,
  ENDING_CHARS,
  type RunJournal,
  type Step,
  type StepOptions,
  type Wait,
  type Woken,
} from "@nestbox/codemode/durable";
import { RestateError } from "./errors.ts";
import { isRecord } from "./guards.ts";
import { HeldRun } from "./held-run.ts";
import type { Ingress } from "./ingress.ts";
import { checkRunId, END, JOURNAL_OBJECT, readWoken, unreadable } from "./protocol.ts";
import { readSealed, type Sealed, type Sealer } from "./seal.ts";
import { Watch } from "./watch.ts";

export interface JournalOptions {
  readonly ingress: Ingress;
  readonly sealer: Sealer;
  readonly clock: DurableClock;
  readonly pollMs: number;
  readonly maxSteps: number;
}

/** For so long, what a claim told about keys that nobody is asked about need not be asked for again. */
const FRESH_MS = 500;

export const journalPath = (runId: string): string => `/${JOURNAL_OBJECT}/${encodeURIComponent(runId)}`;

const begunOf = ({ begun }: StepOptions): { readonly value?: Sealed } =>
  begun === undefined ? {} : { value: { json: JSON.stringify(begun) } };

export function createJournal(runId: string, options: JournalOptions): RunJournal {
  checkRunId(runId);
  const { ingress, sealer, clock, pollMs, maxSteps } = options;
  const path = journalPath(runId);
  const woken = new Map<string, JsonValue>();
  let claiming: Promise<HeldRun> | undefined;
  let held: HeldRun | undefined;

  const watch = new Watch(look, clock, pollMs);

  async function hold(): Promise<HeldRun> {
    held?.check();
    if (held?.broken === true && !held.lost) claiming = undefined;
    claiming ??= HeldRun.claim(runId, path, ingress, clock);
    try {
      held = await claiming;
    } catch (error) {
      claiming = undefined;
      throw error;
    }
    held.check();
    return held;
  }

  async function look(keys: readonly string[]): Promise<Readonly<Record<string, JsonValue>>> {
    const found: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
    for (const [key, sealed] of Object.entries(readWoken(await ingress.call(`${path}/look`, keys)))) {
      found[key] = await learn(key, sealed);
    }
    return found;
  }

  async function learn(key: string, sealed: Sealed): Promise<JsonValue> {
    const value = await sealer.open(runId, sealed);
    woken.set(key, value);
    return value;
  }

  async function known(key: string): Promise<JsonValue | undefined> {
    const value = woken.get(key);
    if (value !== undefined) return structuredClone(value);
    const told = held?.woken;
    if (told === undefined || !Object.hasOwn(told, key)) return undefined;
    const sealed = told[key];
    return sealed === undefined ? undefined : await learn(key, sealed);
  }

  /** Forgets a step that failed, and the run with it if that has not even begun. */
  async function keepNothing(run: HeldRun, key: string): Promise<void> {
    if (run.lost || run.broken) return;
    if (run.entry(key) !== undefined) await run.write({ key, state: "dropped" });
    if (run.size > 0) return;
    await ingress.call(`${path}/forget`, { epoch: run.epoch });
    claiming = undefined;
    held = undefined;
  }

  return {
    runId,

    async step(key: string, execute: () => Promise<JsonValue>, step: StepOptions = {}): Promise<Step> {
      const run = await hold();
      const entry = run.entry(key);
      if (entry?.state === "done" && entry.value !== undefined)
        return { kind: "done", value: await sealer.open(runId, entry.value), replayed: true };
      if (entry?.state === "interrupted") return { kind: "interrupted" };
      if (step.repeatable !== true && entry !== undefined) {
        // What it began with stays there, for those who look.
        await run.write({ ...entry, state: "interrupted" });
        return { kind: "interrupted" };
      }
      if (run.size >= maxSteps)
        throw new RestateError("journal", `The run ${runId} has more than ${maxSteps} steps`);
      if (step.repeatable !== true) await run.write({ key, state: "begun", ...begunOf(step) });
      let value: JsonValue;
      try {
        value = await execute();
      } catch (error) {
        await keepNothing(run, key);
        throw error;
      }
      run.check();
      // Lists tell how runs ended, without the rest of what they gave.
      const sealed = await sealer.seal(runId, value, { headChars: key === END ? ENDING_CHARS : 0 });
      await run.write({ key, state: "done", value: sealed });
      // What is handed on is what another process would be given.
      return { kind: "done", value: JSON.parse(JSON.stringify(value)) as JsonValue, replayed: false };
    },

    async wait(key, question, { signal }): Promise<Wait> {
      const before = await known(key);
      if (before !== undefined) return { kind: "woken", value: before };
      const isFresh = held?.woken !== undefined && clock.now() - held.claimedAt < FRESH_MS;
      if (question !== null) {
        const sealed = await sealer.seal(runId, question);
        const answer = await ingress.call(`${path}/wait`, { key, question: sealed, at: clock.now() });
        const value = isRecord(answer) ? readSealed(answer["value"]) : undefined;
        if (value !== undefined) return { kind: "woken", value: await learn(key, value) };
      } else if (!isFresh) {
        const found = await look([key]);
        if (Object.hasOwn(found, key)) return { kind: "woken", value: found[key] ?? null };
      }
      return { kind: "waiting", woken: watch.wait(key, signal) };
    },

    async wake(key, value): Promise<Woken> {
      const request = { key, value: await sealer.seal(runId, value), token: crypto.randomUUID() };
      const answer = await ingress.call(`${path}/wake`, request);
      if (!isRecord(answer)) return unreadable("answer to a wake");
      if (answer["kind"] === "stored") {
        woken.set(key, value);
        watch.tell(key, value);
        return { kind: "stored" };
      }
      const first = readSealed(answer["value"]);
      if (answer["kind"] !== "already" || first === undefined) return unreadable("answer to a wake");
      const kept = await learn(key, first);
      watch.tell(key, kept);
      return { kind: "already", value: kept };
    },
  };
}
