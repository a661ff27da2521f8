import type { CallGate, CallRequest, Clock, PauseSource } from "@nestbox/tool";
import { cancelled, type Cancellation } from "./cancellation.ts";
import type { HostEvent, ToolCallHandler, ToolResultHandler } from "./events.ts";
import type { CallLimits } from "./limits.ts";
import type { HostCallOutcome } from "./outcome.ts";
import type { CallSpec } from "./pipeline.ts";
import type { CallRecorder } from "./record.ts";
import type { ToolRegistry } from "./registry.ts";
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
  emit(event: HostEvent): void;
  /** The one line that every call goes along. */
  run(spec: CallSpec): RunningCall;
}

/** One root call and all that is below it. */
export interface Family {
  readonly recorder: CallRecorder;
  readonly actor: Actor | undefined;
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
  open: boolean;
}

/**
 * Ends a scope: calls that nobody awaited are cancelled, and are over when this settles (at most `cancelGraceMs`
 * later). From then on the scope makes no call.
 */
export async function closeScope(scope: Scope): Promise<void> {
  scope.open = false;
  while (scope.running.size > 0) {
    const reason = cancelled("The calling tool ended before this call did");
    for (const call of scope.running) call.abort(reason);
    await Promise.all([...scope.running].map((call) => call.outcome));
  }
}

export interface Numbering {
  /** The next id below `callId`; never one that was given before. */
  next(callId: string): string;
}

/** Remembers how far each id got after its call has ended: a call id that comes again goes on counting. */
export function createNumbering(maxRemembered: number): Numbering {
  const last = new Map<string, number>();
  return {
    next(callId) {
      const number = (last.get(callId) ?? 0) + 1;
      // Deleting first moves the id to the end, so the one forgotten is the one unused for longest.
      last.delete(callId);
      last.set(callId, number);
      if (last.size > maxRemembered) {
        const oldest = last.keys().next();
        if (oldest.done !== true) last.delete(oldest.value);
      }
      return `${callId}/${number}`;
    },
  };
}
