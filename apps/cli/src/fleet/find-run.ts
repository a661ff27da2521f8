import { oneLine } from "../report/safe-text.ts";
import { UsageError } from "../usage-error.ts";
import type { FleetEngine, FleetRun } from "./engine.ts";

/** Throws `UsageError` where there is no such run. */
export async function findRun(engine: FleetEngine, runId: string): Promise<FleetRun> {
  const run = await engine.status(runId);
  if (run !== undefined) return run;
  throw new UsageError(
    `There is no run ${oneLine(runId)} in this fleet. nestbox status lists those that are.`,
  );
}
