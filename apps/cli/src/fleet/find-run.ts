import { oneLine } from "../report/safe-text.ts";
import { UsageError } from "../usage-error.ts";
import type { FleetEngine, FleetRun } from "./engine.ts";
import type { FleetWorld } from "./fleet-world.ts";

/** Throws `UsageError` where there is no such run. */
export async function findRun(engine: FleetEngine, runId: string): Promise<FleetRun> {
  const run = await engine.status(runId);
  if (run !== undefined) return run;
  throw new UsageError(
    `There is no run ${oneLine(runId)} in this fleet. nestbox status lists those that are.`,
  );
}

/**
 * Of a run that was there: a server that has just come back may answer before it has its runs again, so one that is
 * missing is asked for some more times before it is said to be.
 */
export async function findAgain(
  engine: FleetEngine,
  runId: string,
  world: Pick<FleetWorld, "pause">,
  signal: AbortSignal,
): Promise<FleetRun> {
  for (let looks = 1; looks < LOOKS && !signal.aborted; looks++) {
    const run = await engine.status(runId);
    if (run !== undefined) return run;
    await world.pause(LOOK_MS, signal);
  }
  return await findRun(engine, runId);
}

const LOOKS = 10;
const LOOK_MS = 500;
