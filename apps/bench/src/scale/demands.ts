/** What one run uses, taken from what was measured: the difference of ten calls and one is nine calls. */
import type { Cost, EngineFigures, LatencyFigures, ThroughputFigures } from "../fleet/figures.ts";
import type { Demand, Demands } from "./scenario.ts";

/** From runs one at a time, or from the windows in which one worker was kept busy. */
export type Basis = "one at a time" | "busy";

/** As in a worker of the package, where nothing else is set. */
export const DBOS_POLL_MS = 100;
export const DBOS_CONCURRENCY = 8;
/** As in the workers of the benchmark. */
export const BENCH_SANDBOXES = 2;

export function demandsOf(figures: EngineFigures, basis: Basis): Demands {
  const { latency } = figures;
  if (latency === undefined) throw new Error("These figures have no latencies: measure them first");
  const [one, ten] =
    basis === "busy"
      ? [costAt(figures, 1), costAt(figures, 10)]
      : ([latency.costOne, latency.costTen] as const);
  const callCpu = apart(one, ten, (cost) => cost.workerCpu);
  const callServer = apart(one, ten, (cost) => cost.serverCpu);
  const runCpu = Math.max(0, one.workerCpu - callCpu);
  const runServer = Math.max(0, one.serverCpu - callServer);
  return {
    run: { workerCpu: runCpu, serverCpu: runServer, delay: runDelay(figures, latency) },
    call: { workerCpu: callCpu, serverCpu: callServer, delay: callDelay(latency) },
    park: parkOf(figures, latency),
    clientCpu: one.clientCpu,
    lookCpu: lookCpuOf(figures),
  };
}

/** Milliseconds of the server's time that one idle worker uses in a second. */
export function lookCpuOf({ idle = [] }: EngineFigures): number {
  const [none, ...some] = [...idle].sort((a, b) => a.workers - b.workers);
  const most = some.at(-1);
  if (none === undefined || most === undefined || most.workers === 0) return 0;
  return Math.max(0, (most.serverCpu - none.serverCpu) / (most.workers - none.workers));
}

function apart(one: Cost, ten: Cost, of: (cost: Cost) => number): number {
  return Math.max(0, (of(ten) - of(one)) / 9);
}

function costAt({ throughput = [] }: EngineFigures, calls: number): Cost {
  const found = busyAt(throughput, 1, calls);
  if (found === undefined) throw new Error(`These figures have no window of one worker and ${calls} calls`);
  return found.cost;
}

export function busyAt(
  throughput: readonly ThroughputFigures[],
  workers: number,
  calls: number,
): ThroughputFigures | undefined {
  return throughput.find((one) => one.kind === "nestbox" && one.workers === workers && one.calls === calls);
}

const cpuOf = (cost: Cost): number => cost.workerCpu + cost.serverCpu + cost.clientCpu;

/** What a call takes and no processor does: the log's way to the disk, and wake-ups. */
function callDelay(latency: LatencyFigures): number {
  const took = (latency.tenCalls.median - latency.oneCall.median) / 9;
  const busy = (cpuOf(latency.costTen) - cpuOf(latency.costOne)) / 9;
  return Math.max(0, took - busy);
}

/** The same of a run; in the mean, a run waits for half an interval until a worker looks. */
function runDelay({ engine }: EngineFigures, latency: LatencyFigures): number {
  const poll = engine === "dbos" ? DBOS_POLL_MS / 2 : 0;
  return Math.max(0, latency.oneCall.median - cpuOf(latency.costOne) - callDelay(latency) - poll);
}

/** A run that asks once is one of one call, and parks besides. */
function parkOf({ engine }: EngineFigures, { costOne, costWake, wake }: LatencyFigures): Demand {
  const workerCpu = Math.max(0, costWake.workerCpu - costOne.workerCpu);
  const serverCpu = Math.max(0, costWake.serverCpu - costOne.serverCpu);
  const poll = engine === "dbos" ? DBOS_POLL_MS / 2 : 0;
  return { workerCpu, serverCpu, delay: Math.max(0, wake.median - workerCpu - serverCpu - poll) };
}
