/** What DBOS itself does: a workflow of `n` steps that do nothing, from a queue of the same settings as ours. */
import { DBOS } from "@dbos-inc/dbos-sdk";

export const FLOOR = "floor";
/** As in a worker of ours. */
const CONCURRENCY = 8;
const POLL_MS = 100;

export interface DbosFloorOptions {
  readonly databaseUrl: string;
  readonly hold: (runId: string) => Promise<void>;
}

export async function openDbosFloor({
  databaseUrl,
  hold,
}: DbosFloorOptions): Promise<{ close(): Promise<void> }> {
  const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
  DBOS.setConfig({
    name: FLOOR,
    systemDatabaseUrl: databaseUrl,
    executorID: `floor-${process.pid}`,
    applicationVersion: FLOOR,
    enableOTLP: false,
    tracingEnabled: false,
    logger: silent,
  });
  DBOS.registerWorkflow(
    async (steps: number) => {
      if (steps === 0) await DBOS.runStep(() => hold(DBOS.workflowID ?? ""), { name: "hold" });
      let sum = 0;
      for (let n = 0; n < steps; n++) sum += await DBOS.runStep(() => Promise.resolve(n), { name: "noop" });
      return sum;
    },
    { name: FLOOR },
  );
  await DBOS.launch();
  await DBOS.registerQueue(FLOOR, {
    workerConcurrency: CONCURRENCY,
    minPollingIntervalMs: POLL_MS,
    onConflict: "always_update",
  });
  return { close: () => DBOS.shutdown({ deregister: true, workflowCompletionTimeoutMS: 1_000 }) };
}

function nothing(): void {
  // What is measured says nothing.
}
