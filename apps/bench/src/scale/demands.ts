/** What one run uses, taken from what was measured: the difference of ten calls and one is nine calls. */
import type { Cost, EngineFigures, LatencyFigures, ThroughputFigures } from "../fleet/figures.ts";
import type { Demand, Demands } from "./scenario.ts";

/** As in a worker of the package, where nothing else is set: so the measured workers are. */
export const DBOS_POLL_MS = 100;
export const DBOS_CONCURRENCY = 8;
/** As in the workers of the benchmark. */
export const BENCH_SANDBOXES = 2;

/** From the windows in which one worker was kept busy: a fleet that is worth its machines is. */
export function demandsOf(figures: EngineFigures): Demands {
  const { latency } = figures;
  if (latency === undefined) throw new Error("These figures have no latencies: measure them first");
  const [one, ten] = [costAt(figures, 1), costAt(figures, 10)];
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

/**
 * Looks at another interval than the measured one, as a part of those: ten a second are for what is due, and three are
 * not changed by it (the queues, the timers, the dead). That each costs the same is an assumption.
 */
export function looksAt(pollMs: number | undefined): number {
  const fixed = 3;
  const measured = 1_000 / DBOS_POLL_MS;
  return pollMs === undefined ? 1 : (1_000 / pollMs + fixed) / (measured + fixed);
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

/**
 * A run that asks once is one of one call, and parks besides. That is taken to cost no more than another run does: what
 * was measured has in it that somebody asked again and again whether it was parked.
 */
function parkOf({ engine }: EngineFigures, { costOne, costWake, wake }: LatencyFigures): Demand {
  const workerCpu = between(costWake.workerCpu - costOne.workerCpu, costOne.workerCpu);
  const serverCpu = between(costWake.serverCpu - costOne.serverCpu, costOne.serverCpu);
  const poll = engine === "dbos" ? DBOS_POLL_MS / 2 : 0;
  return { workerCpu, serverCpu, delay: Math.max(0, wake.median - workerCpu - serverCpu - poll) };
}

const between = (value: number, most: number): number => Math.max(0, Math.min(value, most));
