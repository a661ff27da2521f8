import type { FleetList } from "../model/fleet.ts";
import type { Run } from "../model/run.ts";

/** Where a server has its runs from. */
export interface RunSource {
  /** As they stand now. */
  runs(): readonly Run[];
  /** Tells when they changed; returns how to stop that. */
  subscribe(listener: () => void): () => void;
  /** Why they are older than they should be; empty or absent: they are not. */
  trouble?(): string;
}

/** Runs of which there are too many to show at once: a list of all, and each of them when it is asked for. */
export interface FleetSource {
  /** As it stands now. */
  list(): FleetList;
  /** Tells when the list changed; returns how to stop that. */
  subscribe(listener: () => void): () => void;
  /**
   * One run, followed as long as somebody subscribes. Undefined where there can be none of this id, which comes from an
   * address and may be anything. Its source may have no run yet.
   */
  open(id: string): RunSource | undefined;
}
