/** Many runs that all wait for a person, and one of them that goes on. */
import type { BenchEngine, FleetWorker } from "../engine.ts";
import { type ParkedFigures, round, spreadOf } from "../figures.ts";
import { pause } from "../household.ts";
import { growthBetween, memoryOf, read } from "./meter.ts";

const AT_ONCE = 32;
/** So that the collector and the server's own threads have come to rest. */
const SETTLE_MS = 6_000;
const WAIT_MS = 600_000;
const LOOK_MS = 1_000;
const UNDER_WAY = 256;

/** Each look is a query that the server has to answer: seldom, where its time is measured. */
export async function untilParked(engine: BenchEngine, count: number, lookMs: number): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while ((await engine.parked()) < count) {
    if (performance.now() > end) throw new Error(`${count} runs were not parked in time`);
    await pause(lookMs);
  }
}

export interface ParkedOptions {
  readonly runs: number;
  readonly wakes: number;
  /** Ends the worker, and starts another one. */
  readonly restart: () => Promise<FleetWorker>;
}

export async function measureParked(
  engine: BenchEngine,
  worker: FleetWorker,
  { runs, wakes, restart }: ParkedOptions,
): Promise<ParkedFigures> {
  // What a worker and a server hold who have already worked: not counted as the parked runs'.
  const warm = Array.from({ length: 100 }, (_, index) => `park-warm-${index}`);
  await inLanes(warm, async (runId) => {
    await engine.submit("nestbox", runId, { calls: 1 });
    await engine.result("nestbox", runId, false);
  });
  await pause(SETTLE_MS);
  const already = await engine.parked();
  const diskBefore = await engine.diskBytes();
  const before = await read(engine, [worker]);
  const begun = performance.now();
  const ids = Array.from({ length: runs }, (_, index) => `park-${index}`);
  const seen = { parked: 0 };
  const counting = (async () => {
    while (seen.parked < runs) {
      seen.parked = (await engine.parked()) - already;
      await pause(LOOK_MS);
    }
  })();
  await inLanes(ids, async (runId, index) => {
    // So many are under way at most: a server that brings all that is due would bring them all.
    const hasRoom = (): boolean => index - seen.parked < UNDER_WAY;
    while (!hasRoom()) await pause(LOOK_MS / 10);
    await engine.submit("nestbox", runId, "ask");
  });
  await counting;
  const seconds = (performance.now() - begun) / 1_000;
  await pause(SETTLE_MS);
  const after = await read(engine, [worker]);
  const diskAfter = await engine.diskBytes();
  const times: number[] = [];
  for (const runId of ids.slice(0, wakes)) {
    const from = performance.now();
    await engine.wake(runId);
    await engine.result("nestbox", runId, true);
    times.push(performance.now() - from);
  }
  const fresh = await restart();
  await pause(SETTLE_MS);
  const [workerBefore, workerAfter] = [before.workers[0], after.workers[0]];
  if (workerBefore === undefined || workerAfter === undefined) throw new Error("There is no worker");
  return {
    runs,
    seconds: round(seconds),
    worker: { before: memoryOf(workerBefore), after: memoryOf(workerAfter) },
    freshWorker: memoryOf(fresh.usage()),
    server: { before: memoryOf(before.server), after: memoryOf(after.server) },
    diskBytes: { before: diskBefore, after: diskAfter },
    growth: growthBetween(before, after, runs),
    wake: spreadOf(times),
  };
}

async function inLanes(
  items: readonly string[],
  work: (item: string, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) await work(items[index] ?? "", index);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
