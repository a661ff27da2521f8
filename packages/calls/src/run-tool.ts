import type { JsonObject, JsonValue, ToolResult, ToolUpdateCallback } from "@nestbox/tool";
import type { Cancellation } from "./cancellation.ts";
import { callNested, type NestedCaller } from "./caller.ts";
import type { CallSpec, HostCore, Scope } from "./host-core.ts";
import type { Ran } from "./outcome.ts";
import { isReadOnly, type Registration } from "./registry.ts";

/** What `execute` gets as its fifth argument in a `ToolHost`: the part of Pi's tool context that any host has. */
export interface ToolCallContext extends NestedCaller {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly hasUI: false;
  readonly toolCallId: string;
}

type Execute = (
  toolCallId: string,
  params: JsonObject,
  signal: AbortSignal,
  onUpdate: ToolUpdateCallback,
  context: ToolCallContext,
) => Promise<ToolResult>;

export async function runTool(
  core: HostCore,
  spec: CallSpec,
  registration: Registration,
  args: JsonValue,
  input: JsonObject,
  scope: Scope,
): Promise<Ran> {
  const { tool } = registration;
  const { cancellation } = scope;
  const context: ToolCallContext = {
    cwd: core.cwd,
    signal: cancellation.signal,
    hasUI: false,
    toolCallId: spec.callId,
    pauses: core.pauses,
    get tools() {
      return scope.open ? core.registry.callableViews() : [];
    },
    executeTool: (name, callArgs, options) => callNested(core, scope, name, callArgs, options),
  };

  let accepting = true;
  let updates = 0;
  const onUpdate: ToolUpdateCallback = (partialResult) => {
    if (!accepting || ++updates > core.limits.maxUpdates) return;
    notify(spec.onUpdate, partialResult);
    core.emit({
      type: "tool_execution_update",
      toolCallId: spec.callId,
      toolName: spec.name,
      args,
      partialResult,
      ...(spec.parentCallId === undefined ? {} : { parentToolCallId: spec.parentCallId }),
    });
  };

  // The arguments were validated against the schema that the tool's own types come from.
  const execute = tool.execute as unknown as Execute;
  const startedAt = core.clock.now();
  // One that ignores its cancellation goes on changing things: it is over when it is over.
  const over = isReadOnly(registration) ? undefined : core.watch.begin(spec.callId);
  const ran = await untilStopped(core, cancellation, async () => {
    try {
      return await execute.call(tool, spec.callId, input, cancellation.signal, onUpdate, context);
    } finally {
      over?.();
    }
  });
  accepting = false;
  return { ...ran, durationMs: core.clock.now() - startedAt };
}

/** A callback of the caller's: whatever it does, it ends neither the call nor the host. */
function notify(callback: ToolUpdateCallback | undefined, partial: ToolResult): void {
  if (callback === undefined) return;
  try {
    const answer: unknown = callback(partial);
    if (answer instanceof Promise) answer.catch(() => {});
  } catch {
    // Progress is told, not asked for.
  }
}

type Stopped =
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly error: unknown }
  | { readonly kind: "abandoned" };

function untilStopped(
  core: HostCore,
  cancellation: Cancellation,
  work: () => Promise<unknown>,
): Promise<Stopped> {
  return new Promise((resolve) => {
    let stopTimer: (() => void) | undefined;
    const stopListening = cancellation.onAbort(() => {
      stopTimer = core.clock.after(core.limits.cancelGraceMs, () => resolve({ kind: "abandoned" }));
    });
    const settle = (stopped: Stopped): void => {
      stopListening();
      stopTimer?.();
      resolve(stopped);
    };
    work().then(
      (value) => settle({ kind: "returned", value }),
      (error: unknown) => settle({ kind: "threw", error }),
    );
  });
}
