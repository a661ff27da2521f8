import type { ScriptRunner } from "../types.ts";

export type RunnerSource = ScriptRunner | (() => ScriptRunner | Promise<ScriptRunner>) | undefined;

export interface RunnerHolder {
  /** The runner, made on the first call and again after `close`. */
  get(): Promise<ScriptRunner>;
  /** Closes the runner if it was made here. */
  close(): Promise<void>;
}

/** Holds the runner of one load of the extension: nothing starts before the first script. */
export function createRunnerHolder(source: RunnerSource): RunnerHolder {
  let made: Promise<ScriptRunner> | undefined;
  const make = async (): Promise<ScriptRunner> => {
    if (typeof source === "function") return source();
    const { createRunner } = await import("../node/index.ts");
    return createRunner();
  };
  return {
    get() {
      if (typeof source === "object") return Promise.resolve(source);
      made ??= make().catch((error: unknown) => {
        // What failed once may work the next time, for example when a Node was installed.
        made = undefined;
        throw error;
      });
      return made;
    },
    async close() {
      const current = made;
      made = undefined;
      await current?.then(
        (runner) => runner.close(),
        () => undefined,
      );
    },
  };
}
