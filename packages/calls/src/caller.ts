import type {
  CallableTool,
  PauseSource,
  ToolCallOptions,
  ToolCaller,
  ToolUpdateCallback,
} from "@nestbox/tool";
import type { CallSpec, HostCore, Scope } from "./host-core.ts";
import { errorResult, toolCallOf, type HostCallOutcome } from "./outcome.ts";

/** What a call in a `ToolHost` may be asked for. */
export interface HostCallOptions extends ToolCallOptions {
  /**
   * A `readOnlyHint: true` tool is not run again when the same call was made below this root call and nothing can have
   * changed since (`cached`). The call is judged, told and recorded like any other.
   */
  readonly cached?: boolean;
}

/** A `ToolCaller` whose outcomes carry what only a `ToolHost` knows. */
export interface NestedCaller extends ToolCaller {
  readonly tools: readonly CallableTool[];
  readonly pauses: PauseSource;
  /** Never rejects (contract A19). After the calling tool has ended it answers with an error and calls nothing. */
  executeTool(name: string, args: unknown, options?: HostCallOptions): Promise<HostCallOutcome>;
}

export function callerOf(core: HostCore, scope: Scope): NestedCaller {
  return {
    get tools() {
      return scope.open ? core.registry.callableViews() : [];
    },
    pauses: core.pauses,
    executeTool: (name, args, options) => callNested(core, scope, name, args, options),
  };
}

/** Makes one nested call on behalf of a scope. */
export async function callNested(
  core: HostCore,
  scope: Scope,
  name: string,
  args: unknown,
  options: HostCallOptions | undefined,
): Promise<HostCallOutcome> {
  const toolName = typeof name === "string" ? name : typeof name;
  const asked = readOptions(options);
  scope.counter ??= core.numbering.counterOf(scope.callId);
  const callId = `${scope.callId}/${++scope.counter.last}`;
  if (!scope.open) {
    return {
      toolCall: toolCallOf(callId, toolName, {}),
      result: errorResult(`Tool ${toolName} not called: the call ${scope.callId} has ended`),
      isError: true,
      failure: "limit",
    };
  }
  const call = core.run({
    callId,
    name: toolName,
    args,
    parentCallId: scope.callId,
    chain: scope.chain,
    depth: scope.depth + 1,
    family: scope.family,
    space: scope.space,
    cancellation: scope.cancellation,
    lookup: (wanted) => core.registry.callable(wanted),
    recorded: true,
    ...asked,
  });
  scope.running.add(call);
  try {
    return await call.outcome;
  } finally {
    scope.running.delete(call);
  }
}

/** What was asked for, of what may be anything. */
function readOptions(options: unknown): Pick<CallSpec, "cached" | "signal" | "onUpdate"> {
  if (typeof options !== "object" || options === null) return {};
  try {
    const { cached, signal, onUpdate } = options as Record<string, unknown>;
    return {
      ...(cached === true ? { cached } : {}),
      ...(isSignal(signal) ? { signal } : {}),
      // A function is all that can be known of it.
      ...(typeof onUpdate === "function" ? { onUpdate: onUpdate as ToolUpdateCallback } : {}),
    };
  } catch {
    return {};
  }
}

function isSignal(value: unknown): value is AbortSignal {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}
