import type { FleetState } from "./fleet.ts";

/** How a call stands. `waiting`: for a person, and nothing holds it. `halted`: its run is, and nobody carries it on. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled" | "waiting" | "halted" | "running";

export const callStatuses: readonly CallStatus[] = [
  "ok",
  "error",
  "denied",
  "cancelled",
  "waiting",
  "halted",
  "running",
];

/** What a gate decided, and by which rule of which layer. */
export interface Decision {
  readonly effect: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly layer: string;
}

/** A call's wait for a person, of a run that outlives its process. Times are milliseconds since the run began. */
export interface CallWait {
  readonly fromMs: number;
  /** Absent: nobody has decided, or it is not on record when. */
  readonly toMs?: number;
  /** Absent: nobody has decided. */
  readonly decision?: "approved" | "declined";
  /** Who decided, by their own word. */
  readonly by?: string;
  readonly comment?: string;
  /** What the command that answers names the question by. */
  readonly key: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly layer?: string;
  /** What the person is shown. */
  readonly lines: readonly string[];
}

/** One call, as the page keeps it: the tree is in `parent`, so that a call can be sent again by itself. */
export interface RunCall {
  /** Names the call within its run, also where a file gives one id twice. */
  readonly key: string;
  /** Key of the calling call. */
  readonly parent?: string;
  readonly id: string;
  readonly name: string;
  /** Milliseconds since the run began. */
  readonly startMs: number;
  /** It is not on record when the call began: `startMs` is when it ended. */
  readonly untimed?: boolean;
  readonly durationMs?: number;
  /** Milliseconds the tool itself took; the rest is deciding and waiting. */
  readonly runMs?: number;
  readonly status: CallStatus;
  readonly decision?: Decision;
  readonly argumentBytes?: number;
  readonly arguments?: string;
  readonly resultBytes?: number;
  readonly result?: string;
  readonly error?: string;
  /** 1-based line of the script that made it: that of the nearest call above with one, else the run's. */
  readonly line?: number;
  /** The script that it ran, where it is not the run's. */
  readonly script?: RunScript;
  readonly updates: number;
  /** Waits for people, in order. */
  readonly waits?: readonly CallWait[];
}

export interface OutputPiece {
  readonly kind: "text" | "image" | "console";
  readonly text: string;
}

export interface LimitUse {
  readonly name: string;
  readonly unit: string;
  readonly max?: number;
  readonly used?: number;
}

export interface RunScript {
  readonly name?: string;
  readonly text: string;
  readonly output: readonly OutputPiece[];
  readonly outputOmitted: number;
  readonly limits: readonly LimitUse[];
  readonly outcome?: {
    readonly ok: boolean;
    readonly value?: string;
    readonly error?: {
      readonly kind: string;
      readonly name: string;
      readonly message: string;
      readonly line?: number;
    };
  };
}

/** How a run of a fleet stands. Times are ISO 8601. */
export interface RunStanding {
  readonly id: string;
  readonly state: FleetState;
  /** Why it is halted, or why it last failed. */
  readonly message?: string;
  readonly worker?: string;
  readonly deployment?: string;
  /** When a parked run goes on by itself. */
  readonly wakeAt?: string;
  /** When it ends, whatever it does. */
  readonly deadlineAt?: string;
  /** Why somebody wishes that it ends. */
  readonly cancel?: string;
  /** The words of the command that answers a question, before the run's id and the question's key. */
  readonly approveWith: readonly string[];
  /** The words of the command that has a halted run tried again, before the run's id. Empty: none is known. */
  readonly resumeWith: readonly string[];
}

/** All of a run but its calls and its script. */
export interface RunHead {
  /** What the run is called on the page: its file. */
  readonly name: string;
  readonly startedAt?: string;
  readonly durationMs: number;
  /** Calls that the trace does not hold. */
  readonly omitted: number;
  /** More may come. */
  readonly live: boolean;
  /** Of a run of a fleet. */
  readonly standing?: RunStanding;
}

/** One run as the page shows it. */
export interface Run extends RunHead {
  /** Of several the one that began last; the others stand with the calls that ran them. */
  readonly script?: RunScript;
  /** Every call behind its parent, siblings in the order in which they began. */
  readonly calls: readonly RunCall[];
}
