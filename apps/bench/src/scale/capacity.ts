/** What a fleet can do at most, part by part, and what it keeps: arithmetic on the demands, without the simulation. */
import type { EngineFigures } from "../fleet/figures.ts";
import type { Scenario } from "./scenario.ts";

export type PartName = "workers' processors" | "sandboxes" | "looks of workers" | "server's processors";

export interface Capacity {
  readonly part: PartName;
  /** 0 where looks of idle workers use up the server. */
  readonly runsPerSecond: number;
}

/** The smallest first. */
export function capacities(scenario: Scenario): readonly Capacity[] {
  const { workers, worker, server, script, demands } = scenario;
  const asks = script.askShare;
  const { run, call, park } = demands;
  const workerCpu = run.workerCpu + script.calls * call.workerCpu + asks * park.workerCpu;
  const serverCpu = run.serverCpu + script.calls * call.serverCpu + asks * park.serverCpu;
  const looks = (workers * demands.lookCpu) / 1_000;
  const { pollMs, concurrency } = worker;
  const places = Math.min(worker.sandboxes, concurrency);
  // Where no part that was taken waits for it, a sandbox stays empty until the next look: half an interval, in the mean.
  const emptyMs = concurrency > worker.sandboxes ? 0 : ((pollMs ?? 0) / 2) * (1 + asks);
  const all: Capacity[] = [
    { part: "workers' processors", runsPerSecond: (workers * worker.cores * 1_000) / workerCpu },
    { part: "sandboxes", runsPerSecond: (workers * places * 1_000) / (heldMs(scenario) + emptyMs) },
    { part: "server's processors", runsPerSecond: (Math.max(0, server.cores - looks) * 1_000) / serverCpu },
  ];
  if (pollMs !== undefined) {
    const partsPerSecond = (workers * concurrency * 1_000) / pollMs;
    all.push({ part: "looks of workers", runsPerSecond: partsPerSecond / (1 + asks) });
  }
  return all.sort((a, b) => a.runsPerSecond - b.runsPerSecond);
}

/** How long a run holds a sandbox, where nothing else is in its way. */
export function heldMs({ script, demands }: Scenario): number {
  const { run, call, park } = demands;
  const each = call.workerCpu + call.serverCpu + call.delay + script.toolMs;
  return (
    run.workerCpu +
    ((run.serverCpu + run.delay) * 2) / 3 +
    script.calls * each +
    script.askShare * (park.workerCpu + park.serverCpu + park.delay)
  );
}

/** Runs that wait for a person, in the mean. */
export function parkedRuns(
  runsPerSecond: number,
  { askShare, answerMedianMs, answerSigma }: Scenario["script"],
): number {
  return (runsPerSecond * askShare * answerMedianMs * Math.exp(answerSigma ** 2 / 2)) / 1_000;
}

/** How something grows that the engine counts: with a run, with a call, with a park. */
export interface Growth {
  readonly run: number;
  readonly call: number;
  readonly park: number;
}

export function growthOf({ throughput = [], parked }: EngineFigures, name: string): Growth {
  const at = (calls: number): number =>
    throughput.find((one) => one.kind === "nestbox" && one.workers === 1 && one.calls === calls)?.growth[
      name
    ] ?? 0;
  const call = (at(10) - at(1)) / 9;
  const run = at(1) - call;
  // Parked, a run has neither its end nor the outcome of its call: what it has more is counted, and nothing less.
  return { run, call, park: Math.max(0, (parked?.growth[name] ?? 0) - run) };
}

export const grown = ({ run, call, park }: Growth, { calls, askShare }: Scenario["script"]): number =>
  run + calls * call + askShare * park;

export interface Prices {
  /** Of one core for an hour, of a gigabyte for a month; in whatever currency. */
  readonly coreHour: number;
  readonly gigabyteMonth: number;
  readonly keptDays: number;
}

export interface RunPrice {
  /** For what the run itself uses. */
  readonly used: number;
  /** For all cores that stand there. */
  readonly provided: number;
}

export function priceOfRun(
  scenario: Scenario,
  runsPerSecond: number,
  bytes: number,
  { coreHour, gigabyteMonth, keptDays }: Prices,
): RunPrice {
  const { demands, script, workers, worker, server } = scenario;
  const cpuMs = (["workerCpu", "serverCpu"] as const).reduce(
    (sum, name) =>
      sum + demands.run[name] + script.calls * demands.call[name] + script.askShare * demands.park[name],
    0,
  );
  const kept = (bytes / 1e9) * gigabyteMonth * (keptDays / 30);
  const cores = workers * worker.cores + server.cores;
  return {
    used: (cpuMs / 3_600_000) * coreHour + kept,
    provided: ((cores / 3_600) * coreHour) / runsPerSecond + kept,
  };
}
