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
  const time = async (kind: Kind, work: Work): Promise<number> => {
    const runId = `latency-${kind}-${++count}`;
    const begun = performance.now();
    await engine.submit(kind, runId, work);
    await engine.result(kind, runId, true);
    return performance.now() - begun;
  };
  const [one, ten] = [{ calls: 1 }, { calls: 10 }];
  for (let round = 0; round < WARM_UP; round++)
    for (const kind of ["nestbox", "floor"] as const) await time(kind, ten);

  const times = new Map<string, number[]>();
  const note = (name: string, ms: number): unknown => times.set(name, [...(times.get(name) ?? []), ms]);
  const wakeOnce = async (): Promise<void> => {
    const runId = `latency-ask-${++count}`;
    await engine.submit("nestbox", runId, "ask");
    await untilParked(engine, 1);
    const begun = performance.now();
    await engine.wake(runId);
    await engine.result("nestbox", runId, true);
    note("wake", performance.now() - begun);
  };
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of [
      ["One", one],
      ["Ten", ten],
    ] as const) {
      note(`nestbox${name}`, await time("nestbox", work));
      note(`floor${name}`, await time("floor", work));
    }
    await wakeOnce();
  }

  const cost = async (work: () => Promise<unknown>): Promise<Cost> => {
    const before = await read(engine, [worker]);
    for (let round = 0; round < rounds; round++) await work();
    return costBetween(before, await read(engine, [worker]), rounds, idle);
  };
  const spread = (name: string) => spreadOf(times.get(name) ?? []);
  return {
    oneCall: spread("nestboxOne"),
    tenCalls: spread("nestboxTen"),
    wake: spread("wake"),
    floorOne: spread("floorOne"),
    floorTen: spread("floorTen"),
    costOne: await cost(() => time("nestbox", one)),
    costTen: await cost(() => time("nestbox", ten)),
    costWake: await cost(wakeOnce),
  };
}
