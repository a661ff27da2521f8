/**
 * Which line of a script made a call. The runner tells the line when a call leaves the script; the call's id is given
 * by Pi later, somewhere below. The async context connects the two, however many scripts and calls run at a time.
 */
import { AsyncLocalStorage } from "node:async_hooks";

import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import type { ScriptEvent, ScriptRequest, ScriptRunner } from "@nestbox/codemode";

/** Calls whose place is remembered at a time. */
const MAX_PLACES = 1_000;
/** What the engine counts as the end of a line. */
const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/;

export interface ScriptPlace {
  /** 1-based. */
  readonly line: number;
  /** The text of that line. */
  readonly text: string;
}

export interface ScriptPlaces {
  /** The same runner, which tells where its calls come from. */
  watch(runner: ScriptRunner): ScriptRunner;
  /** Connects a call with the place that it comes from; Pi's own calls are noted by themselves. */
  note(callId: string): void;
  forget(callId: string): void;
  placeOf(callId: string): ScriptPlace | undefined;
}

/** Register before the policy: its question is asked while the same event is told. */
export function createScriptPlaces(pi: Pick<ExtensionAPI, "on">): ScriptPlaces {
  const current = new AsyncLocalStorage<ScriptPlace | undefined>();
  const places = new Map<string, ScriptPlace>();
  const note = (callId: string): void => {
    const place = current.getStore();
    if (place === undefined) return;
    places.set(callId, place);
    if (places.size <= MAX_PLACES) return;
    const oldest = places.keys().next();
    if (oldest.done !== true) places.delete(oldest.value);
  };
  const forget = (callId: string): void => void places.delete(callId);
  pi.on("tool_call", (event) => note(event.toolCallId));
  pi.on("tool_execution_end", (event) => forget(event.toolCallId));

  const watched = (request: ScriptRequest): ScriptRequest => {
    const lines = request.code.split(LINE_BREAK);
    let next: ScriptPlace | undefined;
    const { caller } = request;
    return {
      ...request,
      onEvent(event: ScriptEvent) {
        // Told in the same turn as the call that follows it.
        if (event.type === "call" && event.call.status === "running") next = placeIn(lines, event.call.line);
        request.onEvent?.(event);
      },
      caller: {
        get tools() {
          return caller.tools;
        },
        ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
        executeTool(name, args, options) {
          const place = next;
          next = undefined;
          // Without a line of its own a call must not get that of the call around it.
          return current.run(place, () => caller.executeTool(name, args, options));
        },
      },
    };
  };
  return {
    watch: (runner) => ({
      run: (request) => runner.run(watched(request)),
      warm: () => runner.warm(),
      close: () => runner.close(),
    }),
    note,
    forget,
    placeOf: (callId) => places.get(callId),
  };
}

function placeIn(lines: readonly string[], line: number | undefined): ScriptPlace | undefined {
  const text = line === undefined ? undefined : lines[line - 1];
  return line === undefined || text === undefined ? undefined : { line, text: text.trim() };
}
