/** A fleet that is thought of. Times are milliseconds. */
export interface Scenario {
  readonly load:
    | { readonly kind: "open"; readonly runsPerSecond: number }
    /** Always so many runs are open: as in the benchmark. */
    | { readonly kind: "closed"; readonly open: number };
  readonly workers: number;
  readonly script: Script;
  readonly worker: {
    readonly cores: number;
    /** Scripts that run at a time: each holds a sandbox from its beginning to its park or end. */
    readonly sandboxes: number;
    /** Parts of runs that it takes at a time. */
    readonly concurrency: number;
    /** How often it looks for what is due; absent where the engine brings it. */
    readonly pollMs?: number;
  };
  readonly server: { readonly cores: number };
  /** Server, workers and whoever submits share so many cores, and have none of their own. */
  readonly sharedCores?: number;
  readonly demands: Demands;
  readonly deaths?: {
    /** Of one worker, from its start to its death, in the mean. */
    readonly everyMs: number;
    /** From a death until its runs are in the queue again. */
    readonly noticedAfterMs: number;
    /** Until another worker is in its place. */
    readonly replacedAfterMs: number;
  };
}

export interface Script {
  readonly calls: number;
  /** Mean of what a tool takes, without what the fleet adds; exponential. */
  readonly toolMs: number;
  /** Part of the runs that ask a person, once. */
  readonly askShare: number;
  /** Log-normal. */
  readonly answerMedianMs: number;
  readonly answerSigma: number;
}

/** What is used, in processor time, and how long is waited for what is no processor's. */
export interface Demands {
  /** Of a run besides its calls. */
  readonly run: Demand;
  readonly call: Demand;
  /** Of parking and going on. */
  readonly park: Demand;
  readonly clientCpu: number;
  /** Of one idle worker's looks: server's milliseconds in a second. */
  readonly lookCpu: number;
}

export interface Demand {
  readonly workerCpu: number;
  readonly serverCpu: number;
  readonly delay: number;
}
