/** An engine in this process: it carries runs on with what a worker brings, and keeps them in a journal in memory. */
import type { ScriptOutcome } from "@nestbox/codemode";
import {
  createMemoryJournal,
  type DurableScript,
  runDurable,
  type RunJournal,
} from "@nestbox/codemode/durable";

import {
  type FleetEngine,
  FleetError,
  type FleetRun,
  type FleetWorkerOptions,
} from "../../../src/fleet/engine.ts";

export interface MemoryEngine {
  readonly engine: FleetEngine;
  /** Gives a script to the worker; what it has besides a `DurableScript` is a stranger's. */
  submit(runId: string, script: DurableScript & Readonly<Record<string, unknown>>): void;
  /** Keeps a person's yes, and has the run go on. */
  approve(runId: string, key: string): Promise<void>;
  /** Resolves when the run is in this state. */
  reaches(runId: string, state: FleetRun["state"]): Promise<FleetRun>;
  /** While it is, every question to the engine fails, and a worker that closes hears nothing. */
  away: boolean;
  /** While it is, what is asked is answered and nothing can be kept. */
  readOnly: boolean;
  readonly registered: () => number;
  readonly closed: () => number;
}

export function memoryEngine(): MemoryEngine {
  const kept = createMemoryJournal();
  const scripts = new Map<string, DurableScript>();
  const runs = new Map<string, FleetRun>();
  const outcomes = new Map<string, ScriptOutcome>();
  const stop = new AbortController();
  const parts = new Set<Promise<void>>();
  let worker: FleetWorkerOptions | undefined;
  let registered = 0;
  let closed = 0;

  const answer = <T>(value: T): Promise<T> =>
    self.away ? Promise.reject(new FleetError("unreachable", "It does not answer")) : Promise.resolve(value);

  async function carryOn(runId: string): Promise<void> {
    const script = scripts.get(runId);
    if (worker === undefined || script === undefined || stop.signal.aborted) return;
    runs.set(runId, { runId, state: "running" });
    const carrier = await worker.carrierFor(runId);
    const result = await runDurable({
      ...carrier,
      journal: kept.run(runId),
      script,
      signal: stop.signal,
    });
    if (result.state === "ended") {
      outcomes.set(runId, result.outcome);
      runs.set(runId, { runId, state: "ended", ok: result.outcome.ok });
    } else if (result.state === "parked")
      runs.set(runId, { runId, state: "parked", waitingFor: result.waitingFor.length });
    else if (result.halt.kind === "released") runs.set(runId, { runId, state: "queued" });
    else runs.set(runId, { runId, state: "halted", message: result.halt.message });
  }

  function begin(runId: string): void {
    const part = carryOn(runId).finally(() => parts.delete(part));
    parts.add(part);
  }

  const self: MemoryEngine = {
    away: false,
    readOnly: false,
    registered: () => registered,
    closed: () => closed,
    submit(runId, script) {
      // Only what JSON keeps: a worker sees nothing else.
      scripts.set(runId, JSON.parse(JSON.stringify(script)) as DurableScript);
      begin(runId);
    },
    async approve(runId, key) {
      await kept.run(runId).wake(key, { kind: "approved" });
      begin(runId);
    },
    async reaches(runId, state) {
      for (let waited = 0; waited < 30_000; waited += 10) {
        const run = runs.get(runId);
        if (run?.state === state) return run;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error(`The run ${runId} is ${JSON.stringify(runs.get(runId))}`);
    },
    engine: {
      name: "dbos",
      submit: () => Promise.reject(new Error("a worker submits nothing")),
      status: (runId) => answer(runs.get(runId)),
      runs: () => answer([...runs.values()]),
      questions: () => answer([]),
      journal: (runId): RunJournal => kept.run(runId),
      contents: () => answer({ steps: [], waits: [], complete: true }),
      result(runId) {
        const outcome = outcomes.get(runId);
        return outcome === undefined
          ? Promise.reject(new FleetError("refused", "It has no end"))
          : Promise.resolve(outcome);
      },
      resume: () => answer(false),
      probe: () =>
        self.readOnly
          ? Promise.reject(new FleetError("unreachable", "The database takes no writes"))
          : answer(undefined),
      startWorker(options) {
        worker = options;
        return Promise.resolve({
          id: "worker-1",
          register: () => Promise.resolve(void registered++),
          async close({ drainMs = 10_000 } = {}) {
            closed++;
            stop.abort(new DOMException("The worker closes", "AbortError"));
            if (self.away) await new Promise<never>(() => undefined);
            await Promise.race([
              Promise.allSettled(parts),
              new Promise((resolve) => setTimeout(resolve, drainMs)),
            ]);
          },
        });
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  };
  return self;
}
