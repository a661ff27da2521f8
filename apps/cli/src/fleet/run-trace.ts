/**
 * A run of a fleet as the trace that the inspector reads: what its journal has, told to the builder of traces in the
 * order in which it was, and beside that what only runs of a fleet have: how it stands, and each wait for a person.
 */
import { type CallTrace, createTrace, type TraceCall } from "@nestbox/calls";
import {
  type HistoryCall,
  type HistoryQuestion,
  readHistory,
  type RunHistory,
} from "@nestbox/codemode/durable";
import { createRedactor, type Redactor, shorten, systemClock } from "@nestbox/tool";

import type { FleetContents, FleetRun, FleetStep } from "./engine.ts";
import { readHead, textAt } from "./run-log.ts";
import { stateWord } from "./run-words.ts";

export interface RunTraceOptions {
  /** The words of the command that answers a question, before the run's id and the question's key. */
  readonly approveWith: readonly string[];
  /** The words of the command that has a halted run tried again, before the run's id. */
  readonly resumeWith?: readonly string[];
  /** Until when a run that has not ended is drawn; milliseconds since the epoch. */
  readonly now: number;
  /** Takes secrets out of all texts: a journal has them as they were. Default: `createRedactor()`. */
  readonly redact?: Redactor;
}

/** Version 1 of a trace, with what other readers of it leave out. */
export interface RunTrace extends Omit<CallTrace, "calls"> {
  readonly run: {
    readonly id: string;
    readonly state: string;
    readonly message?: string;
    readonly worker?: string;
    readonly deployment?: string;
    readonly wakeAt?: string;
    readonly deadlineAt?: string;
    readonly cancel?: string;
    readonly approveWith: readonly string[];
    readonly resumeWith: readonly string[];
  };
  readonly calls: readonly RunTraceCall[];
}

export interface RunTraceCall extends Omit<TraceCall, "argumentBytes"> {
  /** Absent where the journal has the beginning of the arguments only. */
  readonly argumentBytes?: number;
  /** It is not on record when the call began: `startMs` is when it ended. */
  readonly untimed?: boolean;
  readonly waits?: readonly Wait[];
}

interface Wait {
  readonly key: string;
  readonly fromMs: number;
  readonly toMs?: number;
  readonly decision?: "approved" | "declined";
  readonly by?: string;
  readonly comment?: string;
  readonly reason?: string;
  readonly rule?: string;
  readonly layer?: string;
  readonly lines: readonly string[];
}

const MAX_CALLS = 100_000;
const MAX_TEXT_CHARS = 2_000;
const MAX_LINES = 200;

/** Made of what was read, and of nothing that was not: a call whose name the journal does not know yet has none. */
export function runTrace(run: FleetRun, contents: FleetContents, options: RunTraceOptions): RunTrace {
  const { redact = createRedactor() } = options;
  const history = readHistory(contents);
  const large = new Map(
    contents.steps.flatMap((step) => (step.large === undefined ? [] : [[step.key, step] as const])),
  );
  const moments = momentsOf(run, history, large);
  const startAt = history.start?.environment.now ?? run.createdAt ?? moments[0]?.at ?? 0;
  let at = startAt;
  const builder = createTrace({
    // The builder counts from what it is told first.
    clock: { ...systemClock, now: () => Math.max(0, at - startAt) },
    wallTime: () => startAt,
    redact,
    maxCalls: MAX_CALLS,
  });
  builder.beginScript({ text: history.start?.code ?? "" });
  if (history.start !== undefined)
    builder.onScriptEvent({ type: "start", limits: history.start.limits, engine: "" });
  for (const moment of moments) {
    // What came before the start by another clock stands at the start.
    at = Math.max(at, moment.at);
    moment.tell(builder);
  }
  const endAt = endOf(run, history, moments, options.now);
  at = Math.max(at, endAt);
  if (run.state === "ended" || history.end !== undefined) {
    const outcome = history.end?.outcome;
    for (const item of outcome?.output ?? []) builder.onScriptEvent({ type: "output", item });
    builder.endScript(outcome ?? (run.ok === undefined ? undefined : { ok: run.ok }));
  }
  const trace = builder.trace();
  const calls = new Map(history.calls.map((call) => [idOf(run, call), call]));
  const short = (text: string): string => shorten(redact(text.slice(0, MAX_TEXT_CHARS * 4)), MAX_TEXT_CHARS);
  return {
    ...trace,
    startedAt: iso(startAt) ?? "",
    durationMs: Math.max(trace.durationMs, at - startAt),
    run: {
      id: run.runId,
      state: run.state === "ended" && wasAborted(history) ? "aborted" : stateWord(run),
      ...(run.message === undefined ? {} : { message: short(run.message) }),
      ...(run.worker === undefined ? {} : { worker: run.worker }),
      ...(run.deployment === undefined ? {} : { deployment: run.deployment }),
      ...time("wakeAt", run.wakeAt),
      ...time(
        "deadlineAt",
        history.start?.deadlineMs === undefined ? undefined : startAt + history.start.deadlineMs,
      ),
      ...(history.cancel === undefined
        ? {}
        : { cancel: short(history.cancel.reason || "Execution aborted") }),
      approveWith: options.approveWith,
      resumeWith: options.resumeWith ?? [],
    },
    calls: trace.calls.map((call) => withWaits(call, calls.get(call.id), startAt, short)),
  };
}

/** Somebody ended it: what it was then is told apart from a script that failed. */
const wasAborted = ({ end }: RunHistory): boolean =>
  end?.outcome.ok === false && end.outcome.error.kind === "aborted";

type Builder = ReturnType<typeof createTrace>;

/** Something that happened in a run; milliseconds since the epoch. */
interface Moment {
  readonly at: number;
  readonly tell: (builder: Builder) => void;
}

function momentsOf(
  run: FleetRun,
  history: RunHistory,
  large: ReadonlyMap<string, FleetStep>,
): readonly Moment[] {
  let last = history.start?.environment.now ?? run.createdAt ?? 0;
  // Of the calls that a run had when it ended, also of those whose process died: their names.
  const known = new Map((history.end?.outcome.calls ?? []).map((call) => [call.index, call]));
  return history.calls
    .flatMap((call): readonly Moment[] => {
      const step = large.get(
        call.questions.length === 0 ? `${call.number}` : `${call.number}.${call.questions.length + 1}`,
      );
      const head = step === undefined ? undefined : readHead(step.large?.head ?? "");
      const told = known.get(call.number);
      const endedAt = call.endedAt ?? head?.at;
      const begunAt = call.begunAt ?? call.questions[0]?.askedAt ?? endedAt ?? last;
      last = Math.max(last, endedAt ?? begunAt);
      const toolCallId = idOf(run, call);
      const toolName = call.call?.name ?? head?.name ?? told?.name ?? "";
      const line = call.call?.line ?? told?.line;
      const start: Moment = {
        at: begunAt,
        tell: (builder) =>
          builder.onEvent({
            type: "tool_execution_start",
            toolCallId,
            toolName: toolName === "" ? `call ${call.number}` : toolName,
            args: argumentsOf(call, head?.args),
          }),
      };
      const placed: Moment = {
        at: begunAt,
        tell: (builder) =>
          builder.onScriptEvent({
            type: "call",
            call: { index: call.number, id: toolCallId, name: toolName, line, status: "ok" },
          }),
      };
      const end = endingOf(call, step, history.end !== undefined);
      return [
        start,
        placed,
        ...(end === undefined
          ? []
          : [
              {
                // What was not answered waited until the run was over.
                at:
                  endedAt ??
                  Math.max(last, history.end?.at ?? (run.state === "ended" ? run.endedAt : 0) ?? 0),
                tell: (builder: Builder) =>
                  builder.onEvent({ type: "tool_execution_end", toolCallId, toolName, ...end }),
              },
            ]),
      ];
    })
    .toSorted((a, b) => a.at - b.at);
}

/** The rest of an end event; undefined: the call has not ended. */
function endingOf(
  call: HistoryCall,
  large: FleetStep | undefined,
  isOver: boolean,
): Readonly<Record<string, unknown>> | undefined {
  const text = (said: string) => ({ result: { content: [{ type: "text", text: said }] } });
  if (large?.large !== undefined) return text(`A result of ${large.large.bytes} bytes, which is not shown`);
  if (call.state === "interrupted")
    return {
      isError: true,
      ...text(
        "Its worker died inside this call, and whether it had its effect is not known. It was not made again.",
      ),
    };
  const { end } = call;
  if (end === undefined) {
    // A run that has ended waits for nobody.
    return isOver
      ? { isError: true, failure: "cancelled", ...text("The run ended before this call did") }
      : undefined;
  }
  if (end.kind === "value") return { result: { content: [], structuredContent: end.value } };
  if (end.kind === "thrown") {
    const failure = end.name === "AbortError" ? { failure: "cancelled" } : {};
    return { isError: true, ...failure, ...text(`${end.name}: ${end.message}`) };
  }
  const { result, isError, durationMs, decision } = end.outcome;
  const wasDeclined = isError && call.questions.at(-1)?.decision?.kind === "declined";
  return {
    isError,
    result,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(decision === undefined ? {} : { decision }),
    ...(wasDeclined ? { failure: "denied" } : {}),
  };
}

/** As the tool got them where it ran, else their beginning, which is all that a journal has. */
function argumentsOf({ call, end }: HistoryCall, head: string | undefined): unknown {
  if (end?.kind === "outcome") return end.outcome.toolCall.arguments;
  const text = call?.args ?? head;
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function withWaits(
  call: TraceCall,
  known: HistoryCall | undefined,
  startAt: number,
  short: (text: string) => string,
): RunTraceCall {
  if (known === undefined) return call;
  const waits = known.questions.map((one) => waitOf(one, startAt, short));
  const { argumentBytes, ...rest } = call;
  const hasArguments = known.end?.kind === "outcome" || !(known.call?.args.endsWith("…") ?? true);
  const asked = waits.at(-1);
  return {
    ...rest,
    ...(hasArguments ? { argumentBytes } : {}),
    ...(known.begunAt === undefined ? { untimed: true } : {}),
    // The answer makes an `allow` of what the rule said, and it stands with the wait.
    ...(asked?.rule === undefined || (call.decision !== undefined && call.decision.rule !== asked.rule)
      ? {}
      : { decision: { effect: "ask", rule: asked.rule, layer: asked.layer ?? "" } }),
    ...(waits.length === 0 ? {} : { waits }),
  };
}

function waitOf(
  { key, question, askedAt, decision }: HistoryQuestion,
  startAt: number,
  short: (text: string) => string,
): Wait {
  const { kind, by, comment, at } = decision ?? {};
  const part = (name: "reason" | "rule" | "layer"): { readonly [key: string]: string } => {
    const text = textAt(question, name);
    return text === undefined ? {} : { [name]: short(text) };
  };
  const lines =
    typeof question === "object" && question !== null && "lines" in question ? question["lines"] : undefined;
  return {
    key,
    fromMs: Math.max(0, askedAt - startAt),
    ...(at === undefined ? {} : { toMs: Math.max(0, at - startAt) }),
    ...(kind === undefined ? {} : { decision: kind }),
    ...(by === undefined ? {} : { by: short(by) }),
    ...(comment === undefined ? {} : { comment: short(comment) }),
    ...part("reason"),
    ...part("rule"),
    ...part("layer"),
    lines: Array.isArray(lines)
      ? lines.slice(0, MAX_LINES).flatMap((line) => (typeof line === "string" ? [short(line)] : []))
      : [],
  };
}

/** Where a run ends, or until when it is drawn: of one that has long been still, in steps that are seldom news. */
function endOf(run: FleetRun, history: RunHistory, moments: readonly Moment[], now: number): number {
  const last = Math.max(history.lastAt ?? 0, moments.at(-1)?.at ?? 0);
  if (history.end !== undefined || run.state === "ended")
    return Math.max(last, history.end?.at ?? run.endedAt ?? last);
  // Nothing goes on in it: what is drawn does not grow.
  if (run.state === "halted") return last;
  const still = now - last;
  const step = still > 600_000 ? 60_000 : 1_000;
  return Math.max(last, last + Math.floor(still / step) * step);
}

const idOf = (run: FleetRun, { number }: HistoryCall): string => `${run.runId}:${number}`;

function iso(ms: number): string | undefined {
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString() : undefined;
}

const MAX_DATE_MS = 8.64e15;

function time<K extends string>(key: K, ms: number | undefined): { readonly [P in K]?: string } {
  const text = ms === undefined ? undefined : iso(ms);
  // One member, of this name.
  return (text === undefined ? {} : { [key]: text }) as { readonly [P in K]?: string };
}
