import { afterAll } from "vitest";
import { createRunner, type CreateRunnerOptions } from "../../src/node/index.ts";
import type { ScriptError, ScriptOutcome, ScriptRequest, ScriptRunner } from "../../src/types.ts";
import { CASE_TOOLS, type FakeCaller, type FakeTool, fakeCaller } from "./fake-caller.ts";

export type HarnessRequest = Partial<ScriptRequest> & { readonly tools?: readonly FakeTool[] };

/** The error of a script that must fail. */
export function errorOf(outcome: ScriptOutcome): ScriptError {
  if (outcome.ok) throw new Error("the script finished: make the attack larger");
  return outcome.error;
}

export interface Harness {
  readonly runner: ScriptRunner;
  readonly run: (code: string, request?: HarnessRequest) => Promise<ScriptOutcome>;
  /** Runs and returns the value; a failure fails the test with its text. */
  readonly value: (code: string, request?: HarnessRequest) => Promise<unknown>;
  readonly lastCaller: () => FakeCaller;
}

/** One runner for a file, closed after its tests. */
export function harness(options: CreateRunnerOptions = {}): Harness {
  const runner = createRunner({ maxProcesses: 2, ...options });
  let last: FakeCaller | undefined;
  afterAll(() => runner.close());
  const run: Harness["run"] = (code, { tools = CASE_TOOLS, ...request } = {}) => {
    last = fakeCaller(tools);
    return runner.run({ code, caller: last, ...request });
  };
  return {
    runner,
    run,
    async value(code, request) {
      const outcome = await run(code, request);
      if (!outcome.ok)
        throw new Error(`the script failed: ${outcome.error.kind} ${outcome.error.stack ?? ""}`);
      return outcome.value;
    },
    lastCaller: () => last as FakeCaller,
  };
}
