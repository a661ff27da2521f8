/** What a fleet uses that has nothing to do: its looks for what is due. */
import type { BenchEngine, FleetWorker } from "../engine.ts";
import { type IdleFigures, round } from "../figures.ts";
import { pause } from "../household.ts";
import { CONNECTIONS, costBetween, memoryOf, read, secondsBetween } from "./meter.ts";

export async function measureIdle(
  engine: BenchEngine,
  workers: readonly FleetWorker[],
  seconds: number,
): Promise<IdleFigures> {
  await pause(1_000);
  const before = await read(engine, workers);
  await pause(seconds * 1_000);
  const after = await read(engine, workers);
  const took = secondsBetween(before, after);
  const { serverCpu, workerCpu } = costBetween(before, after, took);
  const statements = after.counters[STATEMENTS];
  const connections = after.counters[CONNECTIONS];
  const [first] = after.workers;
  return {
    workers: workers.length,
    seconds: round(took),
    serverCpu,
    workerCpu,
    ...(statements === undefined
      ? {}
      : { statements: round((statements - (before.counters[STATEMENTS] ?? 0)) / took) }),
    ...(connections === undefined ? {} : { connections }),
    ...(first === undefined ? {} : { worker: memoryOf(first) }),
  };
}

const STATEMENTS = "statements of workers";
