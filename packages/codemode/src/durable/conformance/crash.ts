import type { ScriptRunner } from "../../types.ts";
import type { RunJournal } from "../journal.ts";
import { type DurableResult, runDurable } from "../run-durable.ts";
import { fakeTools } from "./fake-tools.ts";

/** Where a process dies in its second call; `repeatable`: inside one that may be made again. */
export type CrashPlace = "before" | "inside" | "repeatable" | "after";

export interface CrashRunOptions {
  readonly runner: ScriptRunner;
  readonly journal: RunJournal;
  /** Absent: the run is carried on to its end. */
  readonly at?: CrashPlace | undefined;
  /** Where calls have their effect: outlives the process. */
  readonly effect: (text: string) => unknown;
  /** Kills this very process with SIGKILL. */
  readonly kill: () => void;
}

const script = (tool: string): string => `
  const seen = [(await tools.effect({ n: 1 })).n];
  seen.push(await tools.${tool}({ n: 2 }).then((result) => result.n, (error) => error.name));
  seen.push((await tools.effect({ n: 3 })).n);
  return seen`;

/** What the process that dies runs, and the one that carries the run on. */
export async function crashRun(options: CrashRunOptions): Promise<DurableResult> {
  const { runner, journal, at, effect, kill } = options;
  const { callerFor } = fakeTools({
    onEffect(text) {
      effect(text);
      if ((at === "inside" || at === "repeatable") && text.endsWith(":2")) kill();
    },
  });
  return await runDurable({
    runner,
    callerFor,
    ...(at === undefined ? {} : { script: { code: script(at === "repeatable" ? "retry" : "effect") } }),
    journal: {
      ...journal,
      async step(key, execute, step) {
        if (at === "before" && key === "2") kill();
        const done = await journal.step(key, execute, step);
        if (at === "after" && key === "2") kill();
        return done;
      },
    },
  });
}
