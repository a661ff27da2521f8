import type { BenchEngine, FleetWorker } from "../engine.ts";
import { type Cost, type MemoryFigures, round } from "../figures.ts";
import type { Usage } from "../usage.ts";

export interface Reading {
  readonly at: number;
  readonly workers: readonly Usage[];
  readonly server: Usage;
  readonly clientMs: number;
  readonly counters: Readonly<Record<string, number>>;
}

export async function read(engine: BenchEngine, workers: readonly FleetWorker[]): Promise<Reading> {
  const counters = await engine.counters();
  const own = process.cpuUsage();
  return {
    at: performance.now(),
    workers: workers.map((worker) => worker.usage()),
    server: engine.server(),
    clientMs: (own.user + own.system) / 1_000,
    counters,
  };
}

const cpuOf = (usages: readonly Usage[]): number => usages.reduce((sum, { cpuMs }) => sum + cpuMs, 0);

export const secondsBetween = (a: Reading, b: Reading): number => (b.at - a.at) / 1_000;

/** Of one of `runs`; `idle` is what the fleet uses in a second without any. */
export function costBetween(a: Reading, b: Reading, runs: number, idle?: Cost): Cost {
  const seconds = secondsBetween(a, b);
  const each = (used: number, idly = 0): number => round(Math.max(0, used - idly * seconds) / runs);
  return {
    workerCpu: each(cpuOf(b.workers) - cpuOf(a.workers), idle?.workerCpu),
    serverCpu: each(b.server.cpuMs - a.server.cpuMs, idle?.serverCpu),
    clientCpu: each(b.clientMs - a.clientMs),
  };
}

export function growthBetween(a: Reading, b: Reading, runs: number): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(b.counters)
      .filter(([name]) => name !== CONNECTIONS)
      .map(([name, value]) => [name, round((value - (a.counters[name] ?? 0)) / runs)]),
  );
}

export const CONNECTIONS = "connections of workers";

export const memoryOf = ({ residentMb, privateMb }: Usage): MemoryFigures => ({
  residentMb: round(residentMb),
  privateMb: round(privateMb),
});
