/**
 * What a person sees while a script runs. In a terminal the call tree is drawn again and again, and taken away
 * before a question is asked and before the report is written. In a pipe only a call that takes long is told of.
 */
import type { CallTrace, HostEvent, TraceCall } from "@nestbox/calls";
import type { PauseSource } from "@nestbox/tool";
import { createLogUpdate } from "log-update";

import type { TextOutput } from "../output.ts";
import type { Colors } from "./colors.ts";
import { duration, treeLines } from "./human.ts";
import { oneLine } from "./safe-text.ts";

/** Frames a second are ten at most; the durations of running calls move once in this time. */
const FRAME_MS = 100;
/** A call that has run for this long is told of in a pipe, and again each time this has passed. */
const LONG_CALL_MS = 10_000;
/** Rows of the terminal that are left free. */
const FREE_ROWS = 3;

export interface LiveTreeOptions {
  readonly stream: TextOutput;
  readonly colors: Colors;
  readonly trace: () => CallTrace;
  /** While a person is being asked nothing is drawn. */
  readonly pauses: PauseSource;
  readonly now?: () => number;
}

export interface LiveTree {
  readonly onEvent: (event: HostEvent) => void;
  /** Takes the tree off the screen. */
  close(): void;
}

export function createLiveTree(options: LiveTreeOptions): LiveTree {
  return options.stream.isTTY === true ? drawnTree(options) : toldCalls(options);
}

function drawnTree({
  stream,
  colors,
  trace,
  pauses,
  now = () => performance.now(),
}: LiveTreeOptions): LiveTree {
  const log = createLogUpdate(stream);
  const progress = createProgressTexts();
  let startedAt: number | undefined;
  let changed = false;
  let paused = false;

  const draw = (): void => {
    if (startedAt === undefined || paused) return;
    const elapsed = now() - startedAt;
    const { calls, omitted } = trace();
    if (!changed && !hasRunning(calls)) return;
    changed = false;
    const noteOf = (call: TraceCall): string =>
      call.status === "running"
        ? `${duration(Math.max(0, elapsed - call.startMs))}  ${progress.of(call.id)}`
        : duration(call.durationMs);
    const lines = treeLines(calls, colors, { noteOf, columns: stream.columns ?? 80 });
    if (omitted > 0) lines.push(colors.dim(`and ${omitted} more calls`));
    const room = Math.max(1, (stream.rows ?? 24) - FREE_ROWS);
    const shown = lines.slice(-room);
    if (shown.length < lines.length)
      shown[0] = colors.dim(`… ${lines.length - shown.length + 1} lines above`);
    log(shown.join("\n"));
  };
  const timer = setInterval(draw, FRAME_MS);
  timer.unref();
  const unsubscribe = pauses.subscribe((value) => {
    paused = value;
    if (value) log.clear();
    else changed = true;
  });

  return {
    onEvent(event) {
      if (event.type === "tool_execution_start") startedAt ??= now() - (trace().calls[0]?.startMs ?? 0);
      progress.take(event);
      changed = true;
    },
    close() {
      clearInterval(timer);
      unsubscribe();
      log.clear();
      log.done();
    },
  };
}

function toldCalls({ stream, trace, now = () => performance.now() }: LiveTreeOptions): LiveTree {
  const progress = createProgressTexts();
  const told = new Map<string, number>();
  let startedAt: number | undefined;

  const tell = (calls: readonly TraceCall[], elapsed: number): void => {
    for (const call of calls) {
      const ms = elapsed - call.startMs;
      const times = Math.floor(ms / LONG_CALL_MS);
      if (call.status === "running" && times > (told.get(call.id) ?? 0)) {
        told.set(call.id, times);
        const text = progress.of(call.id);
        stream.write(
          `nestbox: ${oneLine(call.name)} has been running for ${Math.round(ms / 1_000)} s${text === "" ? "" : `: ${text}`}\n`,
        );
      }
      tell(call.children, elapsed);
    }
  };
  const timer = setInterval(() => {
    if (startedAt !== undefined) tell(trace().calls, now() - startedAt);
  }, 1_000);
  timer.unref();
  return {
    onEvent(event) {
      if (event.type === "tool_execution_start") startedAt ??= now() - (trace().calls[0]?.startMs ?? 0);
      if (event.type === "tool_execution_end") told.delete(event.toolCallId);
      progress.take(event);
    },
    close: () => clearInterval(timer),
  };
}

function hasRunning(calls: readonly TraceCall[]): boolean {
  return calls.some((call) => call.status === "running" || hasRunning(call.children));
}

/** The last line that each running call said of itself. */
function createProgressTexts() {
  const texts = new Map<string, string>();
  return {
    of: (callId: string): string => texts.get(callId) ?? "",
    take(event: HostEvent): void {
      if (event.type === "tool_execution_end") texts.delete(event.toolCallId);
      if (event.type !== "tool_execution_update") return;
      const said = event.partialResult.content.flatMap((block) =>
        block.type === "text" ? [block.text] : [],
      );
      const line = said.join("\n").trimEnd().split("\n").at(-1);
      if (line !== undefined && line !== "") texts.set(event.toolCallId, oneLine(line, 60));
    },
  };
}
