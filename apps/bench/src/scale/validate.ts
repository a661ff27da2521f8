/** The model against what was measured: the benchmark's own load, on the benchmark's own machine. */
import type { EngineFigures } from "../fleet/figures.ts";
import { BENCH_SANDBOXES, busyAt, DBOS_CONCURRENCY, DBOS_POLL_MS, demandsOf } from "./demands.ts";
import { simulate } from "./model.ts";
import type { Scenario } from "./scenario.ts";
import { percentile } from "./stats.ts";

export interface Comparison {
  readonly what: string;
  readonly measured: number;
  readonly predicted: number;
}

/** Runs that were open at a time in the benchmark. */
const OPEN = 64;
const RUNS = 4_000;

export function validate(figures: EngineFigures, seed = 1): readonly Comparison[] {
  const demands = demandsOf(figures);
  const scenario = (workers: number, calls: number, load: Scenario["load"]): Scenario => ({
    load,
    workers,
    script: { calls, toolMs: 0, askShare: 0, answerMedianMs: 0, answerSigma: 0 },
    worker: { cores: figures.cores, sandboxes: BENCH_SANDBOXES, ...handOut(figures.engine) },
    server: { cores: figures.cores },
    sharedCores: figures.cores,
    demands,
  });
  const options = { seed, warmUp: 500, runs: RUNS };
  const found: Comparison[] = [];
  for (const workers of [1, 2]) {
    for (const calls of [1, 10]) {
      const measured = busyAt(figures.throughput ?? [], workers, calls);
      if (measured === undefined) continue;
      const { runsPerSecond } = simulate(scenario(workers, calls, { kind: "closed", open: OPEN }), options);
      const what = `runs a second, ${workers} worker${workers === 1 ? "" : "s"}, ${calls} call${calls === 1 ? "" : "s"}`;
      found.push({ what, measured: measured.runsPerSecond.median, predicted: runsPerSecond });
    }
  }
  for (const [calls, measured] of [
    [1, figures.latency?.oneCall],
    [10, figures.latency?.tenCalls],
  ] as const) {
    if (measured === undefined) continue;
    const { latencies } = simulate(scenario(1, calls, { kind: "closed", open: 1 }), options);
    const what = `milliseconds alone, ${calls} call${calls === 1 ? "" : "s"}`;
    found.push({ what, measured: measured.median, predicted: percentile(latencies, 0.5) });
  }
  return found;
}

/** How parts of runs come to a worker of the benchmark. */
export function handOut(engine: "dbos" | "restate"): {
  readonly concurrency: number;
  readonly pollMs?: number;
} {
  return engine === "dbos"
    ? { concurrency: DBOS_CONCURRENCY, pollMs: DBOS_POLL_MS }
    : { concurrency: Number.MAX_SAFE_INTEGER };
}
