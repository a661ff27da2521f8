/**
 * Keeps what the last run did: its calls, and the script that made them. Pi tells the calls, the runner the script.
 * A trace has room for one script: of several in a run it carries the one that began last, and lines of its calls only.
 */
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { createTrace, type CallTrace, type TraceBuilder, type TraceCall } from "@nestbox/calls";
import type { ScriptRunner } from "@nestbox/codemode";
import type { CallDecision } from "@nestbox/tool";

import { withFailure } from "./pi-events.ts";
import { type ScriptTale, watchScripts } from "./watch-scripts.ts";

/** Calls of a script whose ids are kept, as many as a trace has room for. */
const MAX_IDS = 10_000;

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

interface KeptScript {
  readonly builder: TraceBuilder;
  readonly ids: Set<string>;
}

export function createTraceRecorder(
  pi: ExtensionAPI,
  decisionOf: (callId: string) => CallDecision | undefined,
): TraceRecorder {
  let current: TraceBuilder | undefined;
  let fresh = true;
  let script: KeptScript | undefined;
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
  const beginScript = (text: string): ScriptTale | undefined => {
    if (!recorder.on) return undefined;
    const kept: KeptScript = { builder: builderOfRun(), ids: new Set() };
    script = kept;
    kept.builder.beginScript({ text });
    return {
      onEvent(event) {
        if (script !== kept) return;
        if (event.type === "call" && event.call.id !== "" && kept.ids.size < MAX_IDS)
          kept.ids.add(event.call.id);
        kept.builder.onScriptEvent(event);
      },
      end(outcome) {
        if (script === kept) kept.builder.endScript(outcome);
      },
    };
  };
  const begin = (): void => void (fresh = true);
  pi.on("agent_start", begin);
  pi.on("tool_execution_start", onPiEvent);
  pi.on("tool_execution_update", onPiEvent);
  pi.on("tool_execution_end", onPiEvent);
  const recorder: TraceRecorder = {
    on: true,
    begin,
    onEvent,
    watch: (runner) => watchScripts(runner, beginScript),
    last() {
      const trace = current?.trace();
      if (trace === undefined || script === undefined || script.builder !== current) return trace;
      const { ids } = script;
      return { ...trace, calls: trace.calls.map((call) => withLineOf(call, ids)) };
    },
  };
  return recorder;
}

/** Without the line where it is one of another script. That of a call which goes on is not known for certain yet. */
function withLineOf(call: TraceCall, ids: ReadonlySet<string>): TraceCall {
  const { line, ...rest } = call;
  const ours = line !== undefined && (call.status === "running" || ids.has(call.id));
  return {
    ...rest,
    ...(ours ? { line } : {}),
    children: call.children.map((child) => withLineOf(child, ids)),
  };
}
