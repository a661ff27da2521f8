import type { ChildProcess } from "node:child_process";
import type { Usage } from "./usage.ts";

/** What is measured: a run of ours, or the same shape written directly against the engine. */
export type Kind = "nestbox" | "floor";

export interface FleetWorker {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly usage: () => Usage;
}

/** What a worker says when a call is under way that does not end by itself. */
export interface Inside {
  readonly runId: string;
  readonly worker: FleetWorker;
  /** `performance.now()` of whoever hears it. */
  readonly at: number;
}

/**
 * A server of one engine and the client of it, in this process. A run of `n` calls makes them one after the other; one
 * of `hold` makes one call that lasts until its worker is dead, and at once the second time; one of `ask` waits for a
 * person.
 */
export interface BenchEngine {
  readonly name: "dbos" | "restate";
  readonly submit: (kind: Kind, runId: string, what: Work) => Promise<void>;
  /** Resolves at its end: `isExact` at the cost of looking often, where an engine has to be looked at. */
  readonly result: (kind: Kind, runId: string, isExact: boolean) => Promise<void>;
  /** Of a run of `ask`. */
  readonly wake: (runId: string) => Promise<void>;
  /** Runs of ours that are parked. */
  readonly parked: () => Promise<number>;
  /** What somebody must do who has found out that a worker is dead; nothing where the engine finds out itself. */
  readonly recover: (kind: Kind, runIds: readonly string[]) => Promise<void>;
  readonly startWorker: (kind: Kind, onInside?: (inside: Inside) => void) => Promise<FleetWorker>;
  readonly server: () => Usage;
  readonly diskBytes: () => Promise<number>;
  /** What the engine counts, by name: statements, rows, bytes, … */
  readonly counters: () => Promise<Readonly<Record<string, number>>>;
  readonly close: () => Promise<void>;
}

export type Work = { readonly calls: number } | "hold" | "ask";

/** As a script of ours. */
export function codeOf(work: Work): string {
  if (work === "hold") return "return (await tools.hold({})).n";
  if (work === "ask") return "return (await tools.ask({ question: 'Shall it go on?' })).n";
  return `let sum = 0; for (let n = 0; n < ${work.calls}; n++) sum += (await tools.noop({ n })).n; return sum`;
}
