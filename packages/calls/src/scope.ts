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
  /** Of the ids below this one; made with the first. */
  counter?: Counter;
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

/** How far the ids below one call got. */
export interface Counter {
  last: number;
}

export interface Numbering {
  /** The counter of a call id: the one it had, when the id comes again. */
  counterOf(callId: string): Counter;
}

/**
 * Remembers how far each id got after its call has ended, so that no nested id is given twice. A scope keeps its
 * counter while it is open, whatever is forgotten meanwhile.
 */
export function createNumbering(maxRemembered: number): Numbering {
  const counters = new Map<string, Counter>();
  return {
    counterOf(callId) {
      const counter = counters.get(callId) ?? { last: 0 };
      // Deleting first moves the id to the end, so the one forgotten is the one unused for longest.
      counters.delete(callId);
      counters.set(callId, counter);
      if (counters.size > maxRemembered) {
        const oldest = counters.keys().next();
        if (oldest.done !== true) counters.delete(oldest.value);
      }
      return counter;
    },
  };
}
