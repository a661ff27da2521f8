/** Runs a second while always as many are open: windows of ours and of the engine's own in turn. */
import { availableParallelism } from "node:os";
import type { BenchEngine, FleetWorker, Kind } from "../engine.ts";
import { round, spreadOf, type ThroughputFigures } from "../figures.ts";
import { CONNECTIONS, costBetween, growthBetween, read, type Reading, secondsBetween } from "./meter.ts";

export interface ThroughputOptions {
  readonly calls: number;
  readonly rounds: number;
  readonly windowMs: number;
  /** Runs that are open at a time. */
  readonly open: number;
  readonly label: string;
}

interface Window {
  readonly before: Reading;
  readonly after: Reading;
  readonly runs: number;
}

export async function measureThroughput(
  engine: BenchEngine,
  workers: Readonly<Record<Kind, readonly FleetWorker[]>>,
  options: ThroughputOptions,
): Promise<readonly ThroughputFigures[]> {
  const windows: Record<Kind, Window[]> = { nestbox: [], floor: [] };
  for (let turn = 0; turn < options.rounds; turn++)
    for (const kind of ["nestbox", "floor"] as const)
      windows[kind].push(await measureWindow(engine, kind, workers[kind], turn, options));
  return (["nestbox", "floor"] as const).map((kind) =>
    figuresOf(kind, workers[kind], windows[kind], options),
  );
}

async function measureWindow(
  engine: BenchEngine,
  kind: Kind,
  workers: readonly FleetWorker[],
  turn: number,
  { calls, windowMs, open, label }: ThroughputOptions,
): Promise<Window> {
  let [begun, ended] = [0, 0];
  const over = new AbortController();
  let onEnd: () => void = () => undefined;
  const lane = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const runId = `${label}-${kind}-${calls}-${turn}-${++begun}`;
      await engine.submit(kind, runId, { calls });
      await engine.result(kind, runId, false);
      ended++;
      onEnd();
    }
  };
  const lanes = Promise.all(Array.from({ length: open }, lane));
  // Those with which it began came all at once: measured is what comes after them.
  await Promise.race([
    lanes,
    new Promise<void>((resolve) => {
      onEnd = () => (ended >= 2 * open ? resolve() : undefined);
    }),
  ]);
  const before = await read(engine, workers);
  const from = ended;
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const runs = ended - from;
  const after = await read(engine, workers);
  over.abort();
  await lanes;
  return { before, after, runs };
}

function figuresOf(
  kind: Kind,
  workers: readonly FleetWorker[],
  windows: readonly Window[],
  { calls }: ThroughputOptions,
): ThroughputFigures {
  const runs = windows.reduce((sum, window) => sum + window.runs, 0);
  const seconds = windows.reduce((sum, { before, after }) => sum + secondsBetween(before, after), 0);
  const mean = (of: (window: Window) => number): number =>
    round(windows.reduce((sum, window) => sum + of(window) * window.runs, 0) / runs);
  const costs = windows.map(({ before, after, runs: each }) => costBetween(before, after, each));
  const cost = {
    workerCpu: mean((window) => costs[windows.indexOf(window)]?.workerCpu ?? 0),
    serverCpu: mean((window) => costs[windows.indexOf(window)]?.serverCpu ?? 0),
    clientCpu: mean((window) => costs[windows.indexOf(window)]?.clientCpu ?? 0),
  };
  const growths = windows.map(({ before, after, runs: each }) => growthBetween(before, after, each));
  // Counted is what stands in our tables: of the engine's own workflows, nothing does.
  const names = kind === "nestbox" ? Object.keys(growths[0] ?? {}) : [];
  const busy = workers.map((_, index) =>
    windows.reduce(
      (sum, { before, after }) =>
        sum + (after.workers[index]?.cpuMs ?? 0) - (before.workers[index]?.cpuMs ?? 0),
      0,
    ),
  );
  const connections = windows.at(-1)?.after.counters[CONNECTIONS];
  const spentMs = (cost.workerCpu + cost.serverCpu + cost.clientCpu) * runs;
  return {
    kind,
    workers: workers.length,
    calls,
    runsPerSecond: spreadOf(
      windows.map(({ before, after, runs: each }) => each / secondsBetween(before, after)),
    ),
    runs,
    seconds: round(seconds),
    cost,
    machineBusy: round(spentMs / 1_000 / seconds / availableParallelism()),
    growth: Object.fromEntries(
      names.map((name) => [name, mean((window) => growths[windows.indexOf(window)]?.[name] ?? 0)]),
    ),
    ...(connections === undefined || kind === "floor" ? {} : { connections }),
    busiest: round(Math.max(...busy) / busy.reduce((sum, one) => sum + one, 0)),
  };
}
