import type { CallGate, CallRequest, Clock, PauseSource, ToolUpdateCallback } from "@nestbox/tool";
import type { CallCache } from "./call-cache.ts";
import type { CallWatch } from "./call-watch.ts";
import type { Cancellation } from "./cancellation.ts";
import type { HostEvent, ToolCallHandler, ToolResultHandler } from "./events.ts";
import type { CallLimits } from "./limits.ts";
import type { HostCallOutcome, Ran } from "./outcome.ts";
import type { CallRecorder } from "./record.ts";
import type { Registration, ToolRegistry } from "./registry.ts";
import type { TurnSpace, WaitingRoom } from "./turns.ts";

export type Actor = NonNullable<CallRequest["actor"]>;

/** What every call of one host shares. */
export interface HostCore {
  readonly cwd: string;
  readonly limits: CallLimits;
  readonly clock: Clock;
  readonly registry: ToolRegistry;
  readonly gate: CallGate | undefined;
  /** Whether every call takes its turn. */
  readonly isSequential: () => boolean;
  readonly toolCallHandlers: Set<ToolCallHandler>;
  readonly toolResultHandlers: Set<ToolResultHandler>;
  readonly pauses: PauseSource;
  readonly room: WaitingRoom;
  readonly numbering: Numbering;
  readonly createId: () => string;
  readonly watch: CallWatch;
  emit(event: HostEvent): void;
  /** The one line that every call goes along. */
  run(spec: CallSpec): RunningCall;
}

/** One root call and all that is below it. */
export interface Family {
  readonly recorder: CallRecorder;
  readonly actor: Actor | undefined;
  /** What was read below the root call; made with the first call that asks for it. */
  cache?: CallCache<Ran>;
  calls: number;
}

/** A call that has begun and is not over. */
export interface RunningCall {
  readonly outcome: Promise<HostCallOutcome>;
  abort(reason: unknown): void;
}

/** A call that may call others, from the start of its `execute` to its end. */
export interface Scope {
  readonly callId: string;
  readonly depth: number;
  /** The calls from the root to this one, for the gate. */
  readonly chain: CallRequest["chain"];
  readonly family: Family;
  readonly space: TurnSpace;
  readonly cancellation: Cancellation;
  readonly running: Set<RunningCall>;
  /** Of the ids below this one; made with the first. */
  counter?: Counter;
  open: boolean;
}

/** One call, before anything is known of it. */
export interface CallSpec {
  readonly callId: string;
  readonly name: string;
  readonly args: unknown;
  readonly parentCallId?: string;
  readonly chain: CallRequest["chain"];
  readonly depth: number;
  readonly family: Family;
  readonly space: TurnSpace;
  /** The abort chain that the call hangs on. */
  readonly cancellation: Cancellation;
  readonly signal?: AbortSignal;
  readonly onUpdate?: ToolUpdateCallback;
  /** Which tools this caller reaches. */
  readonly lookup: (name: string) => Registration | undefined;
  /** Answer it with what the same call gave before below this root call, when nothing can have changed since. */
  readonly cached?: boolean;
  /** In a parallel batch calls are prepared one by one, and run when all are prepared. */
  readonly batch?: { readonly prepared: () => void; readonly go: Promise<void> };
  /** Whether the call goes into the family's record: a root call does not, its nested calls do. */
  readonly recorded: boolean;
}

/** How far the ids below one call got. */
export interface Counter {
  last: number;
}

export interface Numbering {
  /** The counter of a call id: the one it had, when the id comes again. */
  counterOf(callId: string): Counter;
}
