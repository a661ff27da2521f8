import type {
  CallableTool,
  CallDecision,
  ImageContent,
  JsonValue,
  TextContent,
  ToolCaller,
} from "@nestbox/tool";

/** Limits of one script; every one is documented in the README with its default. */
export interface ScriptLimits {
  /** Processor time of the script's own code between two waits, and in sum. */
  readonly cpuMs: number;
  /** Wall time from when its process is there, without the time a person is asked; `undefined`: none, as in Pi. */
  readonly timeoutMs?: number | undefined;
  /** Wall time of one call without the time a person is asked; `undefined`: none. The call's signal is aborted. */
  readonly callTimeoutMs?: number | undefined;
  readonly memoryMb: number;
  readonly maxSourceChars: number;
  readonly maxOutputChars: number;
  readonly maxOutputItems: number;
  /** Largest frame between host and sandbox. */
  readonly maxFrameBytes: number;
  /** Characters of JSON of one value that leaves the script: an argument, the result. */
  readonly maxValueChars: number;
  readonly maxCalls: number;
  readonly maxCallsInFlight: number;
  readonly maxDepth: number;
  readonly maxLogLines: number;
  readonly maxTimers: number;
}

/** A function of the host's that the script sees as a global; `a.b` names are grouped into a frozen `a`. */
export interface HostGlobal {
  readonly name: string;
  readonly execute: (args: readonly JsonValue[], context: { readonly signal: AbortSignal }) => unknown;
}

export interface ScriptRequest {
  /** Source without the options line: JavaScript, TypeScript, or one of the forms that models write. */
  readonly code: string;
  readonly caller: ToolCaller;
  /** Id of the call that runs the script, for whoever watches a runner; none of what happens depends on it. */
  readonly callId?: string;
  readonly globals?: readonly HostGlobal[];
  readonly limits?: Partial<ScriptLimits>;
  readonly signal?: AbortSignal;
  /** JSON texts by key, as `store` left them. */
  readonly store?: Readonly<Record<string, string>>;
  /** What happens while the script runs. A listener that throws is ignored. */
  readonly onEvent?: (event: ScriptEvent) => void;
  /** How a call was decided, where the outcome itself does not carry it (in Pi). */
  readonly decisionOf?: (callId: string) => CallDecision | undefined;
  /** The text of a tool's entry in `ALL_TOOLS`; unset: its description. */
  readonly describe?: (tool: CallableTool, identifier: string) => string;
  /** Injected clock, randomness, zone and locale; unset: the real ones. */
  readonly environment?: ScriptEnvironment;
}

/** The one place where anything that differs between two runs comes from. */
export interface ScriptEnvironment {
  readonly now?: () => number;
  readonly seed?: number;
  readonly timeZone?: string;
  readonly locale?: string;
  /**
   * The order in which the script sees results: called with the numbers of the calls that are ready, in the order
   * in which they became so (calls are numbered from 1 as the script makes them, host functions included). Those that
   * it names are handed over in that order, the others wait for the next result; when no call is open any more, they
   * follow. Unset: as they come. One that throws ends the script.
   */
  readonly order?: (ready: readonly number[]) => readonly number[];
  /**
   * Begins every turn after the first, in the place of arrival and of wall time: called whenever the script rests, and
   * again when an answer has come meanwhile. `order` is not asked then, and `now` only at the start.
   */
  readonly turns?: (rest: ScriptRest) => void;
}

/** A script between two turns: nothing of it runs until `begin` is called. */
export interface ScriptRest {
  /** How many answers are there that the script has not seen. */
  readonly ready: number;
  /** How many calls have not been answered. */
  readonly open: number;
  /** Milliseconds of the script's own clock until its next timer is due; `undefined`: it has set none. */
  readonly timerMs: number | undefined;
  /** Hands over all answers in the order in which they came, or lets the next timer fire. Counts once a rest. */
  begin(turn: { readonly kind: "answers" | "timer"; readonly now: number }): void;
}

export type OutputItem = TextContent | ImageContent | { readonly type: "console"; readonly text: string };

export type ScriptErrorKind = "script" | "timeout" | "memory" | "limit" | "aborted" | "policy" | "sandbox";

export interface ScriptError {
  readonly kind: ScriptErrorKind;
  readonly name: string;
  readonly message: string;
  /** 1-based line of the script as it was handed in. */
  readonly line?: number;
  readonly column?: number;
  /** The text of that line. */
  readonly lineText?: string;
  /** Stack with the script's own frames only, `codemode.js:line`. */
  readonly stack?: string;
  /** True only when no call's effect began. */
  readonly retryable?: boolean;
}

export type ScriptCallStatus = "ok" | "error" | "denied" | "cancelled";

export interface ScriptCall {
  /** Place among the script's calls, from 0: the same in every event about a call. */
  readonly index?: number;
  /** The host's id of the call; empty until the host has told it, and for a call that never reached it. */
  readonly id: string;
  readonly name: string;
  readonly status: ScriptCallStatus | "running";
  readonly durationMs?: number;
  readonly decision?: CallDecision;
  readonly error?: string;
  /** Whether the tool's `execute` began (contract R11 of the reports). */
  readonly began: boolean;
  /** 1-based line of the script that made the call, where known. */
  readonly line?: number;
}

export interface ScriptWarning {
  readonly kind: "unhandled-rejection" | "schema-mismatch" | "value";
  readonly message: string;
  readonly callId?: string;
}

export type ScriptEvent =
  /** With the limits that hold, defaults filled in, and what the sandbox says of its engine: versions as JSON. */
  | { readonly type: "start"; readonly limits: ScriptLimits; readonly engine: string }
  | { readonly type: "output"; readonly item: OutputItem }
  | { readonly type: "call"; readonly call: ScriptCall }
  | { readonly type: "progress"; readonly callId: string; readonly index: number; readonly text: string }
  | { readonly type: "warning"; readonly warning: ScriptWarning }
  | { readonly type: "pause" | "resume" };

export interface ScriptStats {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly pausedMs: number;
  readonly heapBytes?: number;
  readonly calls: number;
  readonly outputChars: number;
}

/** How one script ended. A script's failure is a value; `run` rejects only for misuse. */
export type ScriptOutcome = {
  readonly output: readonly OutputItem[];
  readonly calls: readonly ScriptCall[];
  readonly warnings: readonly ScriptWarning[];
  readonly stats: ScriptStats;
} & (
  | {
      readonly ok: true;
      /** The returned value; `undefined` when nothing was returned. */
      readonly value: JsonValue | undefined;
      readonly storeWrites: {
        readonly set: Readonly<Record<string, string>>;
        readonly delete: readonly string[];
      };
    }
  | { readonly ok: false; readonly error: ScriptError }
);

/** Runs scripts; holds the pool of sandbox processes. */
export interface ScriptRunner {
  run(request: ScriptRequest): Promise<ScriptOutcome>;
  /** Makes sandbox processes ahead of need. */
  warm(): Promise<void>;
  close(): Promise<void>;
}
