/** What an engine gives to those who look at a run: its journal, within limits, taken from nobody. */
import type { JournalContents, JournalStep } from "./history.ts";

export interface EntriesOptions {
  /** Bytes of a value's JSON above which it is left out and only its beginning told. Default 65,536. */
  readonly maxValueBytes?: number;
  /** Entries, of a kind or in all as the engine has them; the rest is left out. Default 20,000. */
  readonly limit?: number;
}

export interface StepEntry extends JournalStep {
  /** Instead of a value that is too large for the reader: its size, and its JSON up to 4,096 characters. */
  readonly large?: { readonly bytes: number; readonly head: string };
}

/** A worker that died while it carried the run on, as far as an engine has found. */
export interface RunDeath {
  /** As the engine names it. */
  readonly worker: string;
  /** When it was found; milliseconds since the epoch. */
  readonly at: number;
  /** Whether the run was given to another one; else it was halted. */
  readonly again: boolean;
}

/** In no order: the keys of calls are their numbers. */
export interface RunEntries extends JournalContents {
  readonly steps: readonly StepEntry[];
  /** The oldest first. Absent where the engine keeps none. */
  readonly deaths?: readonly RunDeath[];
  /** Nothing was left out but what `maxValueBytes` says. */
  readonly complete: boolean;
}
