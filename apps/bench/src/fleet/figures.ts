/** What `bench fleet` measures, as it is written down and read by the simulation. Milliseconds and bytes. */

export interface Spread {
  readonly median: number;
  readonly p90: number;
  readonly max: number;
  readonly count: number;
}

export interface LatencyFigures {
  /** From the submission to the end, one run at a time. */
  readonly oneCall: Spread;
  readonly tenCalls: Spread;
  /** From a person's answer to the end. */
  readonly wake: Spread;
  /** The engine's own workflow of one and of ten steps. */
  readonly floorOne: Spread;
  readonly floorTen: Spread;
  /** Processor time of one run while nothing else runs, what an idle fleet uses taken off. */
  readonly costOne: Cost;
  readonly costTen: Cost;
  readonly costWake: Cost;
}

export interface Cost {
  readonly workerCpu: number;
  readonly serverCpu: number;
  readonly clientCpu: number;
}

export interface ThroughputFigures {
  readonly kind: "nestbox" | "floor";
  readonly workers: number;
  readonly calls: number;
  /** Of the windows. */
  readonly runsPerSecond: Spread;
  readonly runs: number;
  readonly seconds: number;
  /** Of one run. */
  readonly cost: Cost;
  /** Parts of what all processors could do. */
  readonly machineBusy: number;
  /** Growth of what the engine counts, of one run. */
  readonly growth: Readonly<Record<string, number>>;
  readonly connections?: number;
  /** Part of the runs that the busiest worker has had, by its processor time. */
  readonly busiest: number;
}

export interface KillFigures {
  /** From the signal to the same call under way on another worker, and to the end of the run. */
  readonly elsewhere: Spread;
  readonly ended: Spread;
}

export interface MemoryFigures {
  readonly residentMb: number;
  readonly privateMb: number;
}

export interface ParkedFigures {
  readonly runs: number;
  /** From the first submission until all were parked. */
  readonly seconds: number;
  readonly worker: { readonly before: MemoryFigures; readonly after: MemoryFigures };
  /** Of one that was started while they were parked, and has carried none on. */
  readonly freshWorker?: MemoryFigures;
  readonly server: { readonly before: MemoryFigures; readonly after: MemoryFigures };
  readonly diskBytes: { readonly before: number; readonly after: number };
  /** Of one parked run. */
  readonly growth: Readonly<Record<string, number>>;
  /** From an answer to the end while the others stay parked. */
  readonly wake: Spread;
}

export interface IdleFigures {
  readonly workers: number;
  readonly seconds: number;
  /** Milliseconds of processor time in a second. */
  readonly serverCpu: number;
  readonly workerCpu: number;
  /** In a second. */
  readonly statements?: number;
  readonly connections?: number;
  /** Of one worker with its sandboxes. */
  readonly worker?: MemoryFigures;
}

export interface EngineFigures {
  readonly engine: "dbos" | "restate";
  readonly machine: string;
  readonly cores: number;
  /** Of the last minute, before and after each slice. */
  readonly load: Readonly<Record<string, readonly [before: number, after: number]>>;
  readonly latency?: LatencyFigures;
  readonly throughput?: readonly ThroughputFigures[];
  readonly kills?: Readonly<Record<"nestbox" | "floor", KillFigures>>;
  readonly parked?: ParkedFigures;
  readonly idle?: readonly IdleFigures[];
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number): number => round(sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN);
  return { median: at(0.5), p90: at(0.9), max: at(1), count: sorted.length };
}

/** Four digits are more than any of these measurements is worth. */
export const round = (value: number): number => Number(value.toPrecision(4));
