import {
  addUsage,
  type CallableTool,
  type PauseSource,
  type ToolNamespace,
  type ToolSource,
  type ToolUpdateCallback,
  type ToolUsage,
} from "@nestbox/tool";
import { callerOf, type NestedCaller } from "./caller.ts";
import { cancelled } from "./cancellation.ts";
import { CallsError } from "./errors.ts";
import type { HostListener, ToolCallHandler, ToolResultHandler } from "./events.ts";
import { createHostParts, type HostParts, type ToolHostOptions } from "./host-parts.ts";
import type { RootCallOutcome } from "./outcome.ts";
import type { Actor, CallSpec, Family, RunningCall, Scope } from "./host-core.ts";
import type { NestedCallsRecord } from "./record.ts";
import type { HostTool, RegisteredTool } from "./registry.ts";
import { closeScope } from "./scope.ts";

export interface RootCallOptions {
  readonly signal?: AbortSignal;
  readonly onUpdate?: ToolUpdateCallback;
  readonly callId?: string;
  readonly actor?: Actor;
}

export interface BatchCall {
  readonly name: string;
  readonly args: unknown;
  readonly callId?: string;
  readonly onUpdate?: ToolUpdateCallback;
}

export interface BatchOutcome {
  /** In the order of the calls. */
  readonly outcomes: readonly RootCallOutcome[];
  /** Whether every call asked to end the follow-up (contract A13). */
  readonly terminate: boolean;
}

export interface CallerOptions {
  /** The call on whose behalf others are made; nested ids are `<callId>/<n>`. */
  readonly callId: string;
  /** Name of the calling tool, for the gate and the trace. Default `script`. */
  readonly toolName?: string;
  readonly signal?: AbortSignal;
  readonly actor?: Actor;
}

/** What a caller's calls left behind, for the calling tool's result. */
export interface CallerSummary {
  readonly nestedCalls?: NestedCallsRecord;
  readonly usage?: ToolUsage;
}

export interface HostCaller extends NestedCaller, AsyncDisposable {
  /** The record and the usage so far. */
  summary(): CallerSummary;
  /** Cancels what still runs, waits for it, and makes the caller unusable. */
  close(): Promise<CallerSummary>;
}

/** Runs registered tools, and lets them run one another, with the semantics of Pi's nested calls. */
export interface ToolHost extends AsyncDisposable {
  readonly cwd: string;
  /**
   * Registers a tool (contract A1, A2). The same source may register a name again; as `hidden` it is withdrawn.
   * Throws `CallsError`: `invalid-tool`, or `name-clash` when the name belongs to another source.
   */
  register(tool: HostTool, options?: { readonly source?: ToolSource }): void;
  /** Every registered tool, the hidden ones too. */
  registered(): readonly RegisteredTool[];
  getActiveTools(): readonly string[];
  /** Unknown and hidden names are ignored; what stays active keeps its place. */
  setActiveTools(names: readonly string[]): void;
  /** What a model is told of: the active tools after every `prepareLoadout`. */
  declared(): readonly CallableTool[];
  /** The tools that other tools can call. */
  callable(): readonly CallableTool[];
  /** A namespace of the reachable tools, by its name or an alias (contract A21). */
  describeNamespace(name: string): ToolNamespace | undefined;
  /** A call as a model makes it: reaches the active tools. Rejects only for `call-id-in-use`. */
  call(name: string, args: unknown, options?: RootCallOptions): Promise<RootCallOutcome>;
  /** Calls of one message: in parallel, or one by one when one of them is sequential (contract B6). */
  batch(
    calls: readonly BatchCall[],
    options?: Pick<RootCallOptions, "signal" | "actor">,
  ): Promise<BatchOutcome>;
  /** The power to call tools on behalf of a call that runs elsewhere, for example a script. */
  caller(options: CallerOptions): HostCaller;
  on(event: "tool_call", handler: ToolCallHandler): () => void;
  on(event: "tool_result", handler: ToolResultHandler): () => void;
  subscribe(listener: HostListener): () => void;
  /** A person is being asked: clocks that follow `pauses` stop until `resume`. Counts. */
  pause(): void;
  resume(): void;
  readonly pauses: PauseSource;
  /** Cancels every call and waits for its end. Later calls answer with an error. */
  close(): Promise<void>;
}

export function createToolHost(options: ToolHostOptions): ToolHost {
  return hostOn(createHostParts(options));
}

/** A host on parts that somebody else uses too. */
export function hostOn({
  core,
  listeners,
  pauses,
  stopFollowing,
  cancellation,
  space,
  familyOf,
}: HostParts): ToolHost {
  const running = new Map<string, RunningCall>();
  const callers = new Set<Scope>();
  const { registry } = core;

  const callRoot = async (
    name: string,
    args: unknown,
    callOptions: RootCallOptions,
    place: Pick<CallSpec, "batch"> = {},
  ): Promise<RootCallOutcome> => {
    const callId = callOptions.callId ?? core.createId();
    if (running.has(callId))
      throw new CallsError("call-id-in-use", `A call with the id ${callId} is running`);
    const family = familyOf(callOptions.actor);
    const current = core.run({
      callId,
      name: typeof name === "string" ? name : typeof name,
      args,
      chain: [],
      depth: 0,
      family,
      space,
      cancellation,
      lookup: (wanted) => (registry.isActive(wanted) ? registry.get(wanted) : undefined),
      recorded: false,
      ...place,
      ...(callOptions.signal === undefined ? {} : { signal: callOptions.signal }),
      ...(callOptions.onUpdate === undefined ? {} : { onUpdate: callOptions.onUpdate }),
    });
    running.set(callId, current);
    try {
      const outcome = await current.outcome;
      return { ...outcome, ...summaryOf(family, outcome.result.usage) };
    } finally {
      running.delete(callId);
    }
  };

  const call: ToolHost["call"] = (name, args, callOptions = {}) => callRoot(name, args, callOptions);

  const batch: ToolHost["batch"] = async (calls, batchOptions = {}) => {
    const optionsOf = ({ callId, onUpdate }: BatchCall): RootCallOptions => ({
      ...batchOptions,
      ...(callId === undefined ? {} : { callId }),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    });
    const outcomes: RootCallOutcome[] = [];
    const sequential = calls.some(({ name }) => registry.get(name)?.tool.executionMode === "sequential");
    if (sequential || core.isSequential()) {
      for (const one of calls) outcomes.push(await call(one.name, one.args, optionsOf(one)));
    } else {
      for (let first = 0; first < calls.length; first += core.limits.maxConcurrent) {
        const part = calls.slice(first, first + core.limits.maxConcurrent);
        outcomes.push(
          ...(await runTogether(part, (one, place) => callRoot(one.name, one.args, optionsOf(one), place))),
        );
      }
    }
    return {
      outcomes,
      terminate: outcomes.length > 0 && outcomes.every(({ result }) => result.terminate === true),
    };
  };

  const caller: ToolHost["caller"] = ({ callId, toolName = "script", signal, actor }) => {
    const family = familyOf(actor);
    const scope: Scope = {
      callId,
      depth: 0,
      chain: [{ callId, toolName }],
      family,
      space,
      cancellation: cancellation.child(signal),
      running: new Set(),
      open: true,
    };
    callers.add(scope);
    const close = async (): Promise<CallerSummary> => {
      await closeScope(scope);
      scope.cancellation.release();
      callers.delete(scope);
      return summaryOf(family);
    };
    const nested = callerOf(core, scope);
    return {
      get tools() {
        return nested.tools;
      },
      pauses,
      executeTool: (name, args, callOptions) => nested.executeTool(name, args, callOptions),
      summary: () => summaryOf(family),
      close,
      [Symbol.asyncDispose]: async () => void (await close()),
    };
  };

  const close = async (): Promise<void> => {
    cancellation.abort(cancelled("The host was closed"));
    await Promise.all([...running.values()].map(({ outcome }) => outcome));
    await Promise.all([...callers].map(closeScope));
    stopFollowing();
  };

  return {
    cwd: core.cwd,
    register: (tool, { source } = {}) => registry.register(tool, source ?? { kind: "sdk" }),
    registered: () =>
      registry.all().map(({ view, exposure, source }) => ({
        ...view,
        exposure,
        source,
        active: registry.isActive(view.name),
      })),
    getActiveTools: () => registry.getActive(),
    setActiveTools: (names) => registry.setActive(names),
    declared: () => registry.shown().flatMap(({ view, hidden }) => (hidden ? [] : [view])),
    callable: () => registry.callableViews(),
    describeNamespace: (name) => {
      const reachable = registry
        .all()
        .flatMap(({ exposure, tool }) => (exposure !== "hidden" && tool.namespace) || []);
      const found =
        reachable.find((namespace) => namespace.name === name) ??
        reachable.find(({ aliases }) => aliases?.includes(name) === true);
      // Tools of one namespace may describe it more or less fully.
      return (
        reachable.find(
          (namespace) => namespace.name === found?.name && namespace.instructions !== undefined,
        ) ?? found
      );
    },
    call,
    batch,
    caller,
    on(event: "tool_call" | "tool_result", handler: ToolCallHandler | ToolResultHandler) {
      const handlers: Set<unknown> = event === "tool_call" ? core.toolCallHandlers : core.toolResultHandlers;
      handlers.add(handler);
      return () => void handlers.delete(handler);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    pause: () => pauses.pause(),
    resume: () => pauses.resume(),
    pauses,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The record and the usage of a family, with the usage of its root. */
export function summaryOf({ recorder }: Family, own?: ToolUsage): CallerSummary {
  const nestedCalls = recorder.snapshot();
  const nested = recorder.usage;
  const usage = own === undefined || nested === undefined ? (own ?? nested) : addUsage(own, nested);
  return { ...(nestedCalls === undefined ? {} : { nestedCalls }), ...(usage === undefined ? {} : { usage }) };
}

/** Prepares the calls one by one (handlers and gate too), then runs those that are left at the same time. */
async function runTogether(
  calls: readonly BatchCall[],
  run: (call: BatchCall, place: Pick<CallSpec, "batch">) => Promise<RootCallOutcome>,
): Promise<readonly RootCallOutcome[]> {
  let start: () => void = () => {};
  const go = new Promise<void>((resolve) => {
    start = resolve;
  });
  const running: Promise<RootCallOutcome>[] = [];
  try {
    for (const call of calls) {
      await new Promise<void>((prepared, reject) => {
        const outcome = run(call, { batch: { prepared, go } });
        running.push(outcome);
        // A call that ended before it ran has nothing to wait for.
        outcome.then(() => prepared(), reject);
      });
    }
  } finally {
    start();
  }
  return Promise.all(running);
}
