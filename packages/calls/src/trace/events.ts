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

/** How a call ended, from what its end event says and how a gate decided. */
export function statusOf(
  event: ExecutionEvent,
  decision: CallDecision | undefined,
): "ok" | "error" | "denied" | "cancelled" {
  if (event.isError !== true) return "ok";
  if (event.failure === "denied" || decision?.effect === "deny") return "denied";
  // Pi has no word for it, but ends a call that it never ran with this text.
  if (
    event.failure === "cancelled" ||
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
