export interface OpenFleetOptions {
  /** How long a server that does not answer is waited for. Default 10,000 ms. */
  readonly unavailableMs?: number;
  /** For whoever waits for runs: how often is looked. Default 200 ms. */
  readonly pollMs?: number;
  /** This process is to be a worker: it makes the engine's tables where there are none. */
  readonly worker?: boolean;
  /** How an engine's package is loaded; a test has none. */
  readonly load?: Engines;
}

/** The packages of the engines: optional, so that an installation of the command line stays small. */
export interface Engines {
  readonly dbos: () => Promise<typeof import("@nestbox/dbos/node")>;
  readonly restate: () => Promise<
    Pick<typeof import("@nestbox/restate"), "openRestate" | "openRestateAdmin"> &
      Pick<typeof import("@nestbox/restate/node"), "openBlobFolder" | "startWorker">
  >;
}
