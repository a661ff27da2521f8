import type { JsonValue } from "@nestbox/tool";
import { CodemodeError } from "../runner/errors.ts";
import type { RunJournal, Step, StepOptions, Wait, Woken } from "./journal.ts";

export interface MemoryJournalLimits {
  /** Steps of one run. Default 500,000. */
  readonly maxSteps?: number | undefined;
  /** Characters of JSON of one value. Default 268,435,456. */
  readonly maxValueChars?: number | undefined;
}

/** Keeps runs as long as this object lives. */
export interface MemoryJournal {
  /** The journal of a run, new or not. */
  readonly run: (runId: string) => RunJournal;
  /** What stands in it, in order: JSON values by key, without the steps that have begun only. */
  steps(runId: string): Readonly<Record<string, JsonValue>>;
}

interface Kept {
  owner: object | undefined;
  /** JSON, so that nobody changes it later; `undefined`: begun. */
  readonly steps: Map<string, string | undefined>;
  readonly woken: Map<string, string>;
  readonly waiting: Map<string, Set<(value: JsonValue) => void>>;
}

export function createMemoryJournal(limits: MemoryJournalLimits = {}): MemoryJournal {
  const maxSteps = limits.maxSteps ?? 500_000;
  const maxValueChars = limits.maxValueChars ?? 268_435_456;
  const runs = new Map<string, Kept>();

  function keptOf(runId: string): Kept {
    let kept = runs.get(runId);
    if (kept === undefined) {
      kept = { owner: undefined, steps: new Map(), woken: new Map(), waiting: new Map() };
      runs.set(runId, kept);
    }
    return kept;
  }

  function write(value: JsonValue): string {
    const text = JSON.stringify(value);
    if (text.length <= maxValueChars) return text;
    const message = `A value of ${text.length} characters is more than the limit of ${maxValueChars}`;
    throw new CodemodeError("journal", message);
  }

  function journalOf(runId: string): RunJournal {
    const self = {};
    let claimed = false;

    function check(kept: Kept): void {
      if (!claimed) {
        claimed = true;
        kept.owner = self;
      }
      if (kept.owner !== self)
        throw new CodemodeError("journal", `Another process has taken the run ${runId} over`);
    }

    return {
      runId,
      async step(key: string, execute: () => Promise<JsonValue>, options: StepOptions = {}): Promise<Step> {
        const kept = keptOf(runId);
        check(kept);
        const known = kept.steps.get(key);
        if (known !== undefined) {
          if (known === "") return { kind: "interrupted" };
          return { kind: "done", value: JSON.parse(known) as JsonValue, replayed: true };
        }
        if (options.repeatable !== true) {
          if (kept.steps.has(key)) {
            kept.steps.set(key, "");
            return { kind: "interrupted" };
          }
          kept.steps.set(key, undefined);
        }
        if (kept.steps.size > maxSteps) {
          throw new CodemodeError("journal", `The run ${runId} has more than ${maxSteps} steps`);
        }
        let value: JsonValue;
        try {
          value = await execute();
        } catch (error) {
          if (kept.steps.get(key) === undefined) kept.steps.delete(key);
          throw error;
        }
        check(kept);
        const text = write(value);
        kept.steps.set(key, text);
        return { kind: "done", value: JSON.parse(text) as JsonValue, replayed: false };
      },
      wait(key, _question, { signal }): Promise<Wait> {
        const kept = keptOf(runId);
        const known = kept.woken.get(key);
        if (known !== undefined) {
          return Promise.resolve({ kind: "woken", value: JSON.parse(known) as JsonValue });
        }
        const woken = new Promise<JsonValue>((resolve) => {
          const waiting = kept.waiting.get(key) ?? new Set();
          kept.waiting.set(key, waiting);
          waiting.add(resolve);
          signal.addEventListener("abort", () => waiting.delete(resolve), { once: true });
        });
        return Promise.resolve({ kind: "waiting", woken });
      },
      wake(key, value): Promise<Woken> {
        const kept = keptOf(runId);
        const known = kept.woken.get(key);
        if (known !== undefined)
          return Promise.resolve({ kind: "already", value: JSON.parse(known) as JsonValue });
        const text = write(value);
        kept.woken.set(key, text);
        for (const tell of kept.waiting.get(key) ?? []) tell(JSON.parse(text) as JsonValue);
        kept.waiting.delete(key);
        return Promise.resolve({ kind: "stored" });
      },
    };
  }

  return {
    run: journalOf,
    steps(runId) {
      const out: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
      for (const [key, text] of keptOf(runId).steps) {
        if (text !== undefined && text !== "") out[key] = JSON.parse(text) as JsonValue;
      }
      return out;
    },
  };
}
