import type { AgentSessionEvent } from "@earendil-works/pi-coding-agent";

/** One call as Pi's events tell it. */
export interface SessionCall {
  readonly id: string;
  /** The call that made this one; absent for a call of the model. */
  readonly parentId?: string;
  readonly name: string;
  /** As the model or the caller wrote them. */
  readonly args: unknown;
  /** Partial results that were told. */
  readonly updates: number;
  /** `unfinished`: it had not ended when this was read. */
  readonly status: "ok" | "error" | "unfinished";
  /** Absent when the tool did not run, because it was blocked, unknown or called wrongly. */
  readonly durationMs?: number;
}

/** Folds the events of a session into one record a call, in the order of their start. */
export function readCalls(events: readonly AgentSessionEvent[]): readonly SessionCall[] {
  const calls = new Map<string, SessionCall>();
  for (const event of events) {
    if (event.type === "tool_execution_start") {
      const { toolCallId: id, parentToolCallId: parentId, toolName: name, args } = event;
      const parent = parentId === undefined ? {} : { parentId };
      calls.set(id, { id, ...parent, name, args: args as unknown, updates: 0, status: "unfinished" });
    } else if (event.type === "tool_execution_update" || event.type === "tool_execution_end") {
      const call = calls.get(event.toolCallId);
      if (call === undefined) continue;
      if (event.type === "tool_execution_update") calls.set(call.id, { ...call, updates: call.updates + 1 });
      else {
        const took = event.durationMs === undefined ? {} : { durationMs: event.durationMs };
        calls.set(call.id, { ...call, ...took, status: event.isError ? "error" : "ok" });
      }
    }
  }
  return [...calls.values()];
}
