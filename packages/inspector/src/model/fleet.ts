/** The runs of a fleet, as a page lists them. All texts are somebody else's. */

/** How a run stands. `aborted`: somebody ended it. `ended`: it has, and it is not told how. */
export type FleetState =
  | "queued"
  | "running"
  | "parked"
  | "halted"
  | "succeeded"
  | "failed"
  | "aborted"
  | "ended";

export const fleetStates: readonly FleetState[] = [
  "queued",
  "running",
  "parked",
  "halted",
  "succeeded",
  "failed",
  "aborted",
  "ended",
];

export function hasEnded(state: FleetState): boolean {
  return state === "succeeded" || state === "failed" || state === "aborted" || state === "ended";
}

/** What a person is asked and has not answered. */
export interface OpenQuestion {
  /** What the command that answers names it by. */
  readonly key: string;
  /** Name of the tool. */
  readonly name: string;
  readonly arguments?: string;
  readonly reason?: string;
  /** Milliseconds since the epoch. */
  readonly askedAt?: number;
}

/** One run of the list; times in milliseconds since the epoch. */
export interface FleetEntry {
  readonly id: string;
  readonly state: FleetState;
  readonly createdAt?: number;
  readonly endedAt?: number;
  /** When a parked run goes on by itself. */
  readonly wakeAt?: number;
  readonly worker?: string;
  /** Why it is halted, or why it last failed. */
  readonly message?: string;
  /** Open questions, also those that are not told. */
  readonly waitingFor: number;
  readonly questions: readonly OpenQuestion[];
}

/** All of a list but its runs. */
export interface FleetHead {
  /** Where the runs are, for a title. */
  readonly name: string;
  /** The words of the command that answers a question, before the run's id and the question's key. */
  readonly approveWith: readonly string[];
  /** False before the first answer of the fleet. */
  readonly loaded: boolean;
  /** There may be older runs, which are not listed. */
  readonly more: boolean;
  /** Why the list is older than it should be. */
  readonly trouble?: string;
}

/** The runs, the newest first. */
export interface FleetList extends FleetHead {
  readonly runs: readonly FleetEntry[];
}

/** What changed in a list since it was told of last. */
export interface FleetPatch {
  readonly head: FleetHead;
  /** Runs that are new or that changed. */
  readonly runs: readonly FleetEntry[];
  /** Ids of runs that are no longer listed. */
  readonly gone: readonly string[];
}

export function fleetPatchOf(before: FleetList, after: FleetList): FleetPatch | "same" {
  const old = new Map(before.runs.map((run) => [run.id, run]));
  const runs = after.runs.filter((run) => {
    const known = old.get(run.id);
    old.delete(run.id);
    return known === undefined || (known !== run && JSON.stringify(known) !== JSON.stringify(run));
  });
  const head = headOf(after);
  if (runs.length === 0 && old.size === 0 && JSON.stringify(headOf(before)) === JSON.stringify(head))
    return "same";
  return { head, runs, gone: [...old.keys()] };
}

export function applyFleetPatch(list: FleetList, { head, runs, gone }: FleetPatch): FleetList {
  if (runs.length === 0 && gone.length === 0) return { ...head, runs: list.runs };
  const byId = new Map(list.runs.map((run) => [run.id, run]));
  for (const id of gone) byId.delete(id);
  for (const run of runs) byId.set(run.id, run);
  return { ...head, runs: [...byId.values()].sort(newestFirst) };
}

/** Runs without a time stand last; runs of one moment by their ids. */
export function newestFirst(a: FleetEntry, b: FleetEntry): number {
  return (b.createdAt ?? -1) - (a.createdAt ?? -1) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function headOf({ runs: _runs, ...head }: FleetList): FleetHead {
  return head;
}

/** What is to be seen of a list. Both parts have to hold. */
export interface FleetFilter {
  /** Part of the id, of what is waited for, of the worker or of the message; letters in any case. */
  readonly text: string;
  /** Empty: any. */
  readonly states: ReadonlySet<FleetState>;
}

export const noFleetFilter: FleetFilter = { text: "", states: new Set() };

export function isFilteringFleet({ text, states }: FleetFilter): boolean {
  return text !== "" || states.size > 0;
}

export function filterFleet(
  runs: readonly FleetEntry[],
  { text, states }: FleetFilter,
): readonly FleetEntry[] {
  if (text === "" && states.size === 0) return runs;
  const wanted = text.toLowerCase();
  const has = (part: string | undefined): boolean => part?.toLowerCase().includes(wanted) === true;
  return runs.filter(
    (run) =>
      (states.size === 0 || states.has(run.state)) &&
      (wanted === "" ||
        has(run.id) ||
        has(run.worker) ||
        has(run.message) ||
        run.questions.some(({ name, arguments: args }) => has(name) || has(args))),
  );
}

export function countStates(runs: readonly FleetEntry[]): ReadonlyMap<FleetState, number> {
  const counts = new Map<FleetState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  return counts;
}
