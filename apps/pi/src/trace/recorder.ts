import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createTrace, type CallTrace, type TraceBuilder } from "@nestbox/calls";
import type { CallDecision } from "@nestbox/tool";

/** Keeps the calls of the last run, the agent's or one by hand. A run without a call leaves the one before. */
export interface TraceRecorder {
  /** Whether calls are kept; set when a session starts. Off: nothing is kept. */
  on: boolean;
  /** A run begins. */
  begin(): void;
  readonly onEvent: (event: unknown) => void;
  /** The last run that made a call; undefined before one. */
  last(): CallTrace | undefined;
}

export function createTraceRecorder(
  pi: ExtensionAPI,
  decisionOf: (callId: string) => CallDecision | undefined,
): TraceRecorder {
  let current: TraceBuilder | undefined;
  let fresh = true;
  const onEvent = (event: unknown): void => {
    if (!recorder.on) return;
    if (current === undefined || fresh) {
      current = createTrace({ decisionOf });
      fresh = false;
    }
    current.onEvent(event);
  };
  const begin = (): void => void (fresh = true);
  pi.on("agent_start", begin);
  pi.on("tool_execution_start", onEvent);
  pi.on("tool_execution_update", onEvent);
  pi.on("tool_execution_end", onEvent);
  const recorder: TraceRecorder = { on: true, begin, onEvent, last: () => current?.trace() };
  return recorder;
}
