import type { RunJournal } from "@nestbox/codemode/durable";

import type { Told } from "./fleet-error.ts";

/** A journal whose errors are the fleet's. */
export function toldJournal(runId: string, told: Told, open: () => RunJournal): RunJournal {
  // Opened within: an id that is none is told as everything else is.
  let opened: RunJournal | undefined;
  const journal = (): RunJournal => (opened ??= open());
  return {
    runId,
    step: (key, execute, options) => told(() => journal().step(key, execute, options)),
    wait: (key, question, options) => told(() => journal().wait(key, question, options)),
    wake: (key, value) => told(() => journal().wake(key, value)),
  };
}
