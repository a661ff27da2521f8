import type { CallableTool, PauseSource, ToolCallOptions, ToolCallOutcome, ToolResult } from "@nestbox/tool";

/** A `ToolCaller` that keeps the type of its outcomes: Pi's `ctx`, or a caller of a `ToolHost`. */
export interface CallerOf<O extends ToolCallOutcome> {
  readonly tools: readonly Pick<CallableTool, "name" | "annotations">[];
  executeTool(name: string, args: unknown, options?: ToolCallOptions): Promise<O>;
  readonly pauses?: PauseSource;
}

export interface Call {
  readonly name: string;
  readonly args?: unknown;
}

export interface CombinatorOptions {
  /**
   * Cancels every call. Counts next to the caller's own `signal`, which is read where the caller has one (in Pi
   * `execute` gets the call's signal as an argument: hand that one in).
   */
  readonly signal?: AbortSignal;
  /** Partial results, with the index of the call. One that throws is ignored. */
  readonly onUpdate?: (partial: ToolResult, index: number) => void;
}

/** Several calls that are cancelled together. */
export interface CallGroup<O extends ToolCallOutcome> {
  readonly aborted: boolean;
  readonly signal: AbortSignal;
  run(call: Call, index: number, signal?: AbortSignal): Promise<O>;
  cancel(message: string): void;
  /** Lets go of the signals that the group listens to. */
  release(): void;
}

export function createGroup<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  options: CombinatorOptions,
): CallGroup<O> {
  const controller = new AbortController();
  const sources = [options.signal, signalOf(caller)].filter((signal) => signal !== undefined);
  const links = sources.map((source) => link(source, controller));
  const { onUpdate } = options;
  return {
    get aborted() {
      return controller.signal.aborted;
    },
    signal: controller.signal,
    async run(call, index, signal = controller.signal) {
      return caller.executeTool(call.name, call.args ?? {}, {
        signal,
        ...(onUpdate === undefined
          ? {}
          : { onUpdate: (partial: ToolResult) => quietly(() => onUpdate(partial, index)) }),
      });
    },
    cancel: (message) => controller.abort(new DOMException(message, "AbortError")),
    release: () => {
      for (const unlink of links) unlink();
    },
  };
}

/** Aborts `target` with `source`; returns how to undo it. */
export function link(source: AbortSignal, target: AbortController): () => void {
  const abort = (): void => target.abort(source.reason);
  if (source.aborted) abort();
  else source.addEventListener("abort", abort, { once: true });
  return () => source.removeEventListener("abort", abort);
}

function signalOf(caller: object): AbortSignal | undefined {
  const signal: unknown = "signal" in caller ? caller.signal : undefined;
  return signal instanceof AbortSignal ? signal : undefined;
}

function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // In Pi an error of this callback would end the process.
  }
}
