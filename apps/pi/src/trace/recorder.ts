/** Keeps what the last run did: its calls, and the scripts that made them. Pi tells the calls, the runner the scripts. */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createTrace, type CallTrace, type TraceBuilder } from "@nestbox/calls";
import type { ScriptRunner } from "@nestbox/codemode";
import type { CallDecision } from "@nestbox/tool";

import { withFailure } from "./pi-events.ts";
import { watchScripts } from "./watch-scripts.ts";

/** Keeps the calls of the last run, the agent's or one by hand. A run without a call leaves the one before. */
export interface TraceRecorder {
  /** Whether calls are kept; set when a session starts. Off: nothing is kept. */
  on: boolean;
  /** A run begins. */
  begin(): void;
  /** Takes an event of a host, with what the host hands to a handler beside it. */
  readonly onEvent: (event: unknown, context?: unknown) => void;
  /** The same runner, whose scripts become part of the trace. */
  watch(runner: ScriptRunner): ScriptRunner;
  /** The last run that made a call; undefined before one. */
  last(): CallTrace | undefined;
}

export function createTraceRecorder(
  pi: ExtensionAPI,
  decisionOf: (callId: string) => CallDecision | undefined,
): TraceRecorder {
  let current: TraceBuilder | undefined;
  let fresh = true;
  const builderOfRun = (): TraceBuilder => {
    if (current === undefined || fresh) {
      current = createTrace({ decisionOf });
      fresh = false;
    }
    return current;
  };
  const onEvent = (event: unknown, context?: unknown): void => {
    if (recorder.on) builderOfRun().onEvent(event, context);
  };
  const onPiEvent = (event: unknown, context: unknown): void => onEvent(withFailure(event), context);
  const begin = (): void => void (fresh = true);
  pi.on("agent_start", begin);
  pi.on("tool_execution_start", onPiEvent);
  pi.on("tool_execution_update", onPiEvent);
  pi.on("tool_execution_end", onPiEvent);
  const recorder: TraceRecorder = {
    on: true,
    begin,
    onEvent,
    watch: (runner) =>
      watchScripts(runner, (script) => (recorder.on ? builderOfRun().beginScript(script) : undefined)),
    last: () => current?.trace(),
  };
  return recorder;
}
