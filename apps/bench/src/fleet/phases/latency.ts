/** One run at a time, ours and the engine's own in turn, so that whatever else the machine does hits both. */
import type { BenchEngine, FleetWorker, Kind, Work } from "../engine.ts";
import { type Cost, type LatencyFigures, spreadOf } from "../figures.ts";
import { costBetween, read } from "./meter.ts";
import { untilParked } from "./parked.ts";

export interface LatencyOptions {
  readonly rounds: number;
  /** In a second, without any run. */
  readonly idle: Cost;
}

const WARM_UP = 3;

export async function measureLatency(
  engine: BenchEngine,
  worker: FleetWorker,
  { rounds, idle }: LatencyOptions,
): Promise<LatencyFigures> {
  let count = 0;
  const time = async (kind: Kind, work: Work, isExact = true): Promise<number> => {
    const runId = `latency-${kind}-${++count}`;
    const begun = performance.now();
    await engine.submit(kind, runId, work);
    await engine.result(kind, runId, isExact);
    return performance.now() - begun;
  };
  const [one, ten] = [{ calls: 1 }, { calls: 10 }];
  for (let round = 0; round < WARM_UP; round++)
    for (const kind of ["nestbox", "floor"] as const) await time(kind, ten);

  const times = new Map<string, number[]>();
  const note = (name: string, ms: number): unknown => times.set(name, [...(times.get(name) ?? []), ms]);
  const wakeOnce = async (isExact = true): Promise<void> => {
    const runId = `latency-ask-${++count}`;
    await engine.submit("nestbox", runId, "ask");
    await untilParked(engine, 1, isExact ? 20 : 1_500);
    const begun = performance.now();
    await engine.wake(runId);
    await engine.result("nestbox", runId, isExact);
    if (isExact) note("wake", performance.now() - begun);
  };
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of [
      ["One", one],
      ["Ten", ten],
    ] as const) {
      note(`nestbox${name}`, await time("nestbox", work));
      note(`floor${name}`, await time("floor", work));
    }
    // Some engines take seconds until a run is parked.
    if (round % 2 === 0) await wakeOnce();
  }

  const cost = async (times: number, work: () => Promise<unknown>): Promise<Cost> => {
    const before = await read(engine, [worker]);
    for (let turn = 0; turn < times; turn++) await work();
    return costBetween(before, await read(engine, [worker]), times, idle);
  };
  const spread = (name: string) => spreadOf(times.get(name) ?? []);
  return {
    oneCall: spread("nestboxOne"),
    tenCalls: spread("nestboxTen"),
    wake: spread("wake"),
    floorOne: spread("floorOne"),
    floorTen: spread("floorTen"),
    // Without the many looks for an end, which are none of the run's cost.
    costOne: await cost(rounds * 2, () => time("nestbox", one, false)),
    costTen: await cost(rounds * 2, () => time("nestbox", ten, false)),
    costWake: await cost(Math.ceil(rounds / 2), () => wakeOnce(false)),
  };
}
