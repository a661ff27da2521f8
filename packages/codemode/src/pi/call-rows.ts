import type { CallDecision } from "@nestbox/tool";
import { sliceHead } from "../output/slice.ts";

/** Rows of nested calls that a result keeps; older ones that have ended are counted instead. */
export const MAX_CALL_ROWS = 256;
const ARGS_CHARS = 200;
const ERROR_CHARS = 500;

/** One nested call, as Pi's renderers draw it. */
export interface CallRow {
  readonly id: string;
  readonly name: string;
  /** Compact JSON of the arguments, cut for display. */
  readonly args: string;
  readonly status: "running" | "ok" | "error" | "cancelled";
  readonly durationMs?: number;
  readonly error?: string;
  /** USD, for calls of models. */
  readonly cost?: number;
  readonly decision?: CallDecision;
}

export interface CallEnd {
  readonly id?: string;
  readonly status: Exclude<CallRow["status"], "running">;
  readonly durationMs: number;
  readonly error?: string | undefined;
  readonly cost?: number | undefined;
  readonly decision?: CallDecision | undefined;
}

export interface CallRows {
  /** Adds a running row; the answer ends it. */
  start(id: string, name: string, args: string): (end: CallEnd) => void;
  /** Ends what still runs: the script's end cut it off. */
  cancelRunning(): void;
  rows(): readonly CallRow[];
  /** Calls that have begun so far. */
  started(): number;
  /** Rows that were dropped. */
  omitted(): number;
}

/** Keeps the rows of one script's calls, in the order in which they began. */
export function createCallRows(onChange: () => void): CallRows {
  let rows = new Map<number, CallRow>();
  let next = 0;
  let omitted = 0;

  const makeRoom = (): void => {
    if (rows.size <= MAX_CALL_ROWS) return;
    // The oldest that has ended; a row that still runs goes only when all do.
    const oldest = [...rows].find(([, row]) => row.status !== "running") ?? [...rows][0];
    if (oldest !== undefined && rows.delete(oldest[0])) omitted++;
  };

  return {
    start(id, name, args) {
      const key = next++;
      rows.set(key, { id, name, args: cut(args, ARGS_CHARS), status: "running" });
      makeRoom();
      onChange();
      return (end) => {
        const row = rows.get(key);
        if (row === undefined || row.status !== "running") return;
        rows.set(key, {
          ...row,
          status: end.status,
          durationMs: end.durationMs,
          ...(end.id === undefined ? {} : { id: end.id }),
          ...(end.error === undefined ? {} : { error: cut(end.error, ERROR_CHARS) }),
          ...(end.cost === undefined ? {} : { cost: end.cost }),
          ...(end.decision === undefined ? {} : { decision: end.decision }),
        });
        onChange();
      };
    },
    cancelRunning() {
      rows = new Map(
        [...rows].map(([key, row]) => [
          key,
          row.status === "running" ? { ...row, status: "cancelled" as const } : row,
        ]),
      );
    },
    rows: () => [...rows.values()],
    started: () => next,
    omitted: () => omitted,
  };
}

function cut(text: string, chars: number): string {
  return text.length > chars ? `${sliceHead(text, chars - 3)}...` : text;
}
