import type { CallDecision, ToolContent } from "@nestbox/tool";
import type { CallFailure } from "../events.ts";

/**
 * The events that a trace and spans are made of, as a `ToolHost`, an agent with `nestedCalls` and a Pi session emit
 * them. Other events may be handed in and are ignored.
 */
export interface ExecutionEvent {
  readonly type: "tool_execution_start" | "tool_execution_update" | "tool_execution_end";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly parentToolCallId?: string;
  readonly args?: unknown;
  readonly result?: { readonly content?: readonly ToolContent[]; readonly structuredContent?: unknown };
  readonly isError?: boolean;
  readonly durationMs?: number;
  readonly decision?: CallDecision;
  readonly failure?: CallFailure;
}

const types: ReadonlySet<unknown> = new Set([
  "tool_execution_start",
  "tool_execution_update",
  "tool_execution_end",
]);

/** A guard, because what a host emits is not ours to trust. */
export function isExecutionEvent(event: unknown): event is ExecutionEvent {
  if (typeof event !== "object" || event === null) return false;
  const { type, toolCallId, toolName } = event as Partial<Record<keyof ExecutionEvent, unknown>>;
  return types.has(type) && typeof toolCallId === "string" && typeof toolName === "string";
}

/** What tells that a call was cut short, where events do not say (in Pi). */
export interface CancellationSource {
  /**
   * The signal of the run that goes on, for example `() => session.agent.signal`: a call that fails after it was aborted
   * was cancelled. Not needed where `onEvent` is the handler of an extension: it gets that signal with each event.
   */
  readonly signal?: () => AbortSignal | undefined;
}

/** Whether the run was aborted, by the source or by the context that Pi hands to a handler next to the event. */
export function isAborted(source: CancellationSource, context: unknown): boolean {
  if (source.signal?.()?.aborted === true) return true;
  if (typeof context !== "object" || context === null || !("signal" in context)) return false;
  const { signal } = context;
  return typeof signal === "object" && signal !== null && "aborted" in signal && signal.aborted === true;
}

/** How a call ended, from what its end event says, how a gate decided, and whether the run was aborted. */
export function statusOf(
  event: ExecutionEvent,
  decision: CallDecision | undefined,
  aborted: boolean,
): "ok" | "error" | "denied" | "cancelled" {
  if (event.isError !== true) return "ok";
  if (event.failure === "denied" || decision?.effect === "deny") return "denied";
  if (event.failure !== undefined) return event.failure === "cancelled" ? "cancelled" : "error";
  // Pi has no word for it: what ran and failed in an aborted run was cancelled, and a call that it never ran has this text.
  if (
    (event.durationMs !== undefined && aborted) ||
    (event.durationMs === undefined && errorOf(event) === "Operation aborted")
  )
    return "cancelled";
  return "error";
}

export function errorOf(event: ExecutionEvent): string {
  return (event.result?.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
}
