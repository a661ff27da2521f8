import type { DbosRun } from "@nestbox/dbos/node";

import { type FleetEngine, type FleetRun, readQuestion } from "../engine.ts";
import type { FleetConfig } from "../fleet-config.ts";
import type { Engines, OpenFleetOptions } from "../fleet-options.ts";
import { withoutPasswords } from "../redact.ts";
import { tellingWithout } from "./fleet-error.ts";
import { toldJournal } from "./told-journal.ts";

type Loaded = Awaited<ReturnType<Engines["dbos"]>>;

export async function openDbosEngine(
  config: Extract<FleetConfig, { engine: "dbos" }>,
  options: OpenFleetOptions,
  { openDbos, startWorker }: Loaded,
): Promise<FleetEngine> {
  const { databaseUrl } = config;
  const told = tellingWithout([databaseUrl]);
  const dbosOptions = {
    databaseUrl,
    unavailableMs: options.unavailableMs ?? 10_000,
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
    makeTables: options.worker === true,
  };
  const runs = await told(() => openDbos({ ...dbosOptions, connections: 2 }));
  return {
    name: "dbos",
    submit: (runId, script) => told(() => runs.submit(runId, script)),
    status: (runId) =>
      told(async () => {
        const found = await runs.status(runId);
        return found === undefined ? undefined : fleetRun(found);
      }),
    runs: ({ limit } = {}) =>
      told(async () =>
        (await runs.runs({ newestFirst: true, ...(limit === undefined ? {} : { limit }) })).map(fleetRun),
      ),
    questions: (choice = {}) =>
      told(async () =>
        (await runs.questions(choice)).map(({ runId, key, question, askedAt }) =>
          readQuestion(runId, key, question, askedAt),
        ),
      ),
    journal: (runId) => toldJournal(runId, told, () => runs.run(runId)),
    contents: (runId, choice) => told(() => runs.entries(runId, choice)),
    result: (runId, choice) => told(() => runs.result(runId, choice)),
    resume: (runId) => told(() => runs.resume(runId)),
    // A database that is only read answers everything but this.
    probe: () => told(() => runs.probe()),
    startWorker: (worker) =>
      told(async () => {
        const { carrierFor, concurrency, deployment, onLog } = worker;
        const started = await startWorker({
          databaseUrl,
          carrierFor,
          ...(concurrency === undefined ? {} : { concurrency }),
          ...(deployment === undefined ? {} : { deployment }),
          ...(onLog === undefined
            ? {}
            : { onLog: (level, message) => onLog(level, withoutPasswords(message, [databaseUrl])) }),
        });
        return {
          id: started.executorId,
          register: () => Promise.resolve(),
          close: (closing) => started.close(closing),
        };
      }),
    [Symbol.asyncDispose]: () => runs.close(),
  };
}

function fleetRun(run: DbosRun): FleetRun {
  const { runId, state, ok, error, message, begunAt, endedAt, wakeAt, worker, deployment, waitingFor } = run;
  return {
    runId,
    // What was not submitted is carried on by whoever has its journal.
    state: state ?? "running",
    ...(ok === undefined ? {} : { ok }),
    ...(error === undefined ? {} : { error }),
    ...(message === undefined ? {} : { message }),
    createdAt: begunAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(wakeAt === undefined ? {} : { wakeAt }),
    ...(worker === undefined ? {} : { worker }),
    ...(deployment === undefined ? {} : { deployment }),
    waitingFor,
  };
}
