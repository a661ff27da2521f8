import {
  type CallGate,
  type Clock,
  type PauseSource,
  systemClock,
  type ToolExecutionMode,
} from "@nestbox/tool";
import { createCallWatch } from "./call-watch.ts";
import { createCancellation, type Cancellation } from "./cancellation.ts";
import type { Handlers, HostEvent, HostListener } from "./events.ts";
import type { Actor, Family, HostCore } from "./host-core.ts";
import { resolveLimits, type CallLimits } from "./limits.ts";
import { createPauses, type Pauses } from "./pauses.ts";
import { runCall } from "./pipeline.ts";
import { createRecorder } from "./record.ts";
import { createRegistry } from "./registry.ts";
import { createNumbering } from "./scope.ts";
import { createTurnSpace, type TurnSpace } from "./turns.ts";

export interface ToolHostOptions {
  /** Working folder of every call. */
  readonly cwd: string;
  /** Decides every call, root and nested. None: every call is allowed. */
  readonly gate?: CallGate;
  readonly handlers?: Handlers;
  readonly onEvent?: HostListener;
  readonly limits?: Partial<CallLimits>;
  readonly clock?: Clock;
  /** Who asks, for the gate. A call may say otherwise. */
  readonly actor?: Actor;
  /** `sequential` makes every call take its turn (contract B6). Default `parallel`. */
  readonly toolExecution?: ToolExecutionMode;
  /** Tells when a person is being asked elsewhere, for example a gate's own; the host's `pauses` follow it too. */
  readonly pauses?: PauseSource;
  /** Ids of root calls that bring none. Default `call-1`, `call-2`… */
  readonly createId?: () => string;
}

/** What a host is made of; the low-level agent's integration shares it with the host. */
export interface HostParts {
  readonly core: HostCore;
  readonly listeners: Set<HostListener>;
  readonly pauses: Pauses;
  /** Lets go of `options.pauses`. */
  readonly stopFollowing: () => void;
  /** The root of every abort chain. */
  readonly cancellation: Cancellation;
  readonly space: TurnSpace;
  readonly familyOf: (actor: Actor | undefined) => Family;
}

export function createHostParts(
  options: Omit<ToolHostOptions, "toolExecution"> & {
    readonly toolExecution?: ToolExecutionMode | (() => ToolExecutionMode);
  },
): HostParts {
  const limits = resolveLimits(options.limits);
  const clock = options.clock ?? systemClock;
  const listeners = new Set<HostListener>(options.onEvent === undefined ? [] : [options.onEvent]);
  const pauses = createPauses();
  const room = { max: limits.maxWaiting, count: 0 };
  const { toolExecution = "parallel" } = options;
  let nextId = 1;

  const emit = (event: HostEvent): void => {
    for (const listener of listeners) {
      try {
        const answer: unknown = listener(event);
        if (answer instanceof Promise) answer.catch(() => {});
      } catch {
        // Whoever watches does not take part.
      }
    }
  };

  const core: HostCore = {
    cwd: options.cwd,
    limits,
    clock,
    registry: createRegistry(emit),
    gate: options.gate,
    isSequential: () =>
      (typeof toolExecution === "function" ? toolExecution() : toolExecution) === "sequential",
    toolCallHandlers: new Set(options.handlers?.tool_call),
    toolResultHandlers: new Set(options.handlers?.tool_result),
    pauses,
    room,
    numbering: createNumbering(limits.maxRememberedIds),
    createId: options.createId ?? (() => `call-${nextId++}`),
    watch: createCallWatch(),
    emit,
    run: (spec) => runCall(core, spec),
  };
  const stopFollowing = options.pauses?.subscribe((paused) => (paused ? pauses.pause() : pauses.resume()));
  return {
    core,
    listeners,
    pauses,
    stopFollowing: () => stopFollowing?.(),
    cancellation: createCancellation(),
    space: createTurnSpace(limits.maxConcurrent, room),
    familyOf: (actor) => ({
      recorder: createRecorder(limits, clock),
      actor: actor ?? options.actor,
      calls: 0,
    }),
  };
}
