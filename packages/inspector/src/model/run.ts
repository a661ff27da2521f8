/** How a call stands. */
export type CallStatus = "ok" | "error" | "denied" | "cancelled" | "running";

export const callStatuses: readonly CallStatus[] = ["ok", "error", "denied", "cancelled", "running"];

/** What a gate decided, and by which rule of which layer. */
export interface Decision {
  readonly effect: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly layer: string;
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
  /** 1-based line of the script. */
  readonly line?: number;
  readonly updates: number;
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
}

/** One run as the page shows it. */
export interface Run extends RunHead {
  readonly script?: RunScript;
  /** Every call behind its parent, siblings in the order in which they began. */
  readonly calls: readonly RunCall[];
}
