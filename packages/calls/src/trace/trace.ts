import { createRedactor, systemClock, type CallDecision, type Clock, type Redactor } from "@nestbox/tool";
import { utf8Bytes } from "../record.ts";
import {
  errorOf,
  isAborted,
  isExecutionEvent,
  statusOf,
  type CancellationSource,
  type ExecutionEvent,
} from "./events.ts";
import type { CallTrace, TraceCall } from "./schema.ts";
import { createLineBudget, createScriptPart, type ScriptBeginning, type ScriptPart } from "./script.ts";

export interface TraceOptions extends CancellationSource {
  readonly clock?: Clock;
  /** Wall time in milliseconds since 1970, for `startedAt`. Default `Date.now`. */
  readonly wallTime?: () => number;
  /** Takes secrets out of arguments and errors. Default: the common kinds of `createRedactor()`. */
  readonly redact?: Redactor;
  /** How a call was decided, where events do not say (in Pi). */
  readonly decisionOf?: (callId: string) => CallDecision | undefined;
  /** Default 10,000. Later calls are counted in `omitted`. */
  readonly maxCalls?: number;
  /** Characters of the arguments that are kept. Default 2,000; 0 keeps none. */
  readonly maxArgumentChars?: number;
  /** Characters of a result that are kept. Default 2,000; 0 keeps none. */
  readonly maxResultChars?: number;
  /** Characters of an error that are kept. Default 500. */
  readonly maxErrorChars?: number;
  /** Characters of all arguments and results together; beyond it later calls keep none. Default 16 Mi. */
  readonly maxTextChars?: number;
  /** Characters of a script's source, and of its output, that are kept. Default 200,000 each. */
  readonly maxScriptChars?: number;
  /** Scripts of one trace; of more the last are kept, and the others counted. Default 50. */
  readonly maxScripts?: number;
}

export interface TraceBuilder {
  /**
   * Takes any event of any host; those that are no calls are ignored. Never throws. `context` is what Pi hands to a
   * handler next to the event.
   */
  readonly onEvent: (event: unknown, context?: unknown) => void;
  /** Tells that a call that failed was cancelled, where the events did not say so (`tellCancelled`). */
  readonly cancelled: (callId: string) => void;
  /**
   * A script begins. Without a `callId` all calls that are of no other script are its own, and it takes the place of the
   * one before that had none. What happens in it is told to what is returned, or to the two below.
   */
  beginScript(script: ScriptBeginning): ScriptBuilder;
  /** {@link ScriptBuilder.onEvent} of the script that began last. */
  readonly onScriptEvent: (event: unknown) => void;
  /** {@link ScriptBuilder.end} of the script that began last. */
  endScript(outcome?: unknown): void;
  /** The tree so far. */
  trace(): CallTrace;
}

/** What happens in one script. */
export interface ScriptBuilder {
  /**
   * Takes what a script runner tells while the script runs (`ScriptRequest.onEvent` of `@nestbox/codemode`): the lines
   * of calls, output, limits. Others are ignored. Never throws.
   */
  readonly onEvent: (event: unknown) => void;
  /** The script has ended, with the runner's outcome where there is one. Never throws. */
  end(outcome?: unknown): void;
}

type Node = { -readonly [K in keyof Omit<TraceCall, "children" | "line" | "script">]: TraceCall[K] } & {
  readonly children: Node[];
  readonly at: number;
  /** The line as it was known when the call began, of which script. */
  readonly early: { readonly part: ScriptPart; readonly line: number } | undefined;
};

/** Under what a script is kept that no call of the trace runs. */
const NO_CALL = "";

/** Builds a trace from events: hand `onEvent` to a `ToolHost`, to `nestedCalls(agent).subscribe` or to a Pi session. */
export function createTrace(options: TraceOptions = {}): TraceBuilder {
  const { clock = systemClock, wallTime = Date.now, redact = createRedactor() } = options;
  const {
    maxCalls = 10_000,
    maxArgumentChars = 2_000,
    maxResultChars = 2_000,
    maxErrorChars = 500,
  } = options;
  const { maxTextChars = 16 * 1024 * 1024, maxScriptChars = 200_000, maxScripts = 50 } = options;
  const roots: Node[] = [];
  const open = new Map<string, Node>();
  const failed = new Map<string, Node>();
  let kept = 0;
  let omitted = 0;
  let first: number | undefined;
  let last = 0;
  let startedAt: string | undefined;
  let textChars = 0;

  // Redacted before it is cut, so that no token is cut in half; a huge text is cut generously before that.
  const safe = (text: string, maxChars: number): string => {
    const clean = redact(text.slice(0, maxChars * 8 + 1_000));
    return clean.length > maxChars ? `${clean.slice(0, maxChars)}…` : clean;
  };

  /** Text of an argument or a result, within what all of them may have together. */
  const shared = (read: () => string, maxChars: number): string | undefined => {
    if (maxChars === 0 || textChars >= maxTextChars) return undefined;
    const kept = safe(read(), maxChars);
    textChars += kept.length;
    return kept;
  };

  /** By the call that runs it; under the empty id the one without. Oldest first. */
  const scripts = new Map<string, ScriptPart>();
  const lines = createLineBudget();
  let scriptsOmitted = 0;
  let newest: { readonly part: ScriptPart; readonly builder: ScriptBuilder } | undefined;

  const start = (event: ExecutionEvent, at: number): void => {
    if (kept >= maxCalls) {
      omitted++;
      return;
    }
    kept++;
    const args = jsonOf(event.args ?? {});
    const argsText = shared(() => args, maxArgumentChars);
    const part = scripts.get(event.parentToolCallId ?? NO_CALL) ?? scripts.get(NO_CALL);
    const line = part?.lineOfStart(event.toolName);
    const node: Node = {
      id: event.toolCallId,
      name: event.toolName,
      ...(event.parentToolCallId === undefined ? {} : { parentId: event.parentToolCallId }),
      startMs: at,
      status: "running",
      argumentBytes: utf8Bytes(args),
      ...(argsText === undefined ? {} : { arguments: argsText }),
      updates: 0,
      children: [],
      at,
      early: part === undefined || line === undefined ? undefined : { part, line },
    };
    const parent = event.parentToolCallId === undefined ? undefined : open.get(event.parentToolCallId);
    (parent?.children ?? roots).push(node);
    open.set(node.id, node);
  };

  const end = (event: ExecutionEvent, at: number, aborted: boolean): void => {
    const node = open.get(event.toolCallId);
    if (node === undefined) return;
    open.delete(event.toolCallId);
    const decision = event.decision ?? options.decisionOf?.(event.toolCallId);
    node.durationMs = round(at - node.at);
    if (event.durationMs !== undefined) node.runMs = event.durationMs;
    node.status = statusOf(event, decision, aborted);
    if (node.status === "error" && event.failure === undefined) failed.set(node.id, node);
    // Three fields and no more, whatever a host puts there.
    if (decision !== undefined)
      node.decision = { effect: decision.effect, rule: decision.rule, layer: decision.layer };
    const { content, structuredContent } = event.result ?? {};
    node.resultBytes = utf8Bytes(jsonOf({ content, structuredContent }));
    // What an error says is told once.
    if (event.isError !== true || structuredContent !== undefined) {
      const result = shared(() => jsonOf(structuredContent ?? content ?? null), maxResultChars);
      if (result !== undefined) node.result = result;
    }
    if (event.isError === true) node.error = safe(errorOf(event), maxErrorChars);
  };

  /** Milliseconds since the first thing that happened. */
  const tick = (): number => {
    const now = clock.now();
    if (first === undefined) {
      first = now;
      startedAt = new Date(wallTime()).toISOString();
    }
    last = round(now - first);
    return last;
  };

  const take = (event: unknown, context: unknown): void => {
    if (!isExecutionEvent(event)) return;
    const at = tick();
    if (event.type === "tool_execution_start") start(event, at);
    else if (event.type === "tool_execution_end") end(event, at, isAborted(options, context));
    else {
      const node = open.get(event.toolCallId);
      if (node !== undefined) node.updates++;
    }
  };

  const callOf = (
    { at: _at, early, children, ...call }: Node,
    part: ScriptPart | undefined = scripts.get(NO_CALL),
  ): TraceCall => {
    const line =
      part?.lineOf(call.id) ?? (early !== undefined && early.part === part ? early.line : undefined);
    const own = call.id === NO_CALL ? undefined : scripts.get(call.id);
    return {
      ...call,
      ...(line === undefined ? {} : { line }),
      ...(own === undefined || own === newest?.part ? {} : { script: own.script() }),
      children: children.map((child) => callOf(child, own ?? part)),
    };
  };

  // What cannot be read is left out; the run goes on.
  const careful = (read: () => void): void => {
    try {
      read();
    } catch {
      // Nothing of it is kept.
    }
  };

  return {
    onEvent: (event, context) => careful(() => take(event, context)),
    cancelled(callId) {
      const node = failed.get(callId);
      if (node !== undefined) node.status = "cancelled";
    },
    beginScript(told) {
      tick();
      const id = told.callId ?? NO_CALL;
      const part = createScriptPart(told, { redact, safe, maxChars: maxScriptChars, lines });
      // The place of the newest, also under an id that was there.
      scripts.delete(id);
      scripts.set(id, part);
      for (const [oldest] of scripts) {
        if (scripts.size <= Math.max(1, maxScripts)) break;
        scripts.delete(oldest);
        scriptsOmitted++;
      }
      const builder: ScriptBuilder = {
        onEvent: (event) => careful(() => part.take(event)),
        end(outcome) {
          tick();
          careful(() => part.end(outcome));
        },
      };
      newest = { part, builder };
      return builder;
    },
    onScriptEvent: (event) => newest?.builder.onEvent(event),
    endScript: (outcome) => newest?.builder.end(outcome),
    trace() {
      const told = newest?.part.script();
      return {
        schema: "nestbox.call-trace",
        version: 1,
        ...(startedAt === undefined ? {} : { startedAt }),
        durationMs: last,
        omitted,
        ...(told === undefined ? {} : { script: told }),
        ...(scriptsOmitted === 0 ? {} : { scriptsOmitted }),
        calls: roots.map((root) => callOf(root)),
      };
    },
  };
}

/** JSON of what may not be JSON: details of a foreign host. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}

/** Microseconds are enough. */
function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}
