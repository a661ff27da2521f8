/**
 * Reads what stands in a journal into what a run has done, for those who look at it: nothing is taken over, nothing is
 * run. Whoever can write to a journal may have written anything: what has another shape is left out.
 */
import type { JsonValue } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";
import type { ScriptOutcome } from "../types.ts";
import { type CallEnd, type CallIdentity, readBegun, readCall } from "./call-record.ts";
import { KEY } from "./journal.ts";
import { readStart, type RunStart } from "./start.ts";

/** One step, as an engine keeps it. */
export interface JournalStep {
  readonly key: string;
  readonly state: "begun" | "done" | "interrupted";
  /** Of a step that is done; else what it began with, where the engine keeps that. */
  readonly value?: JsonValue;
}

/** One key that was waited for or woken; times in milliseconds since the epoch, where the engine keeps them. */
export interface JournalWait {
  readonly key: string;
  /** Absent or `null`: nobody was asked. */
  readonly question?: JsonValue;
  readonly askedAt?: number;
  /** Absent: it has not been woken. */
  readonly value?: JsonValue;
  readonly wokenAt?: number;
}

/** All that stands in the journal of one run. To read it takes the run from nobody, as its first step would. */
export interface JournalContents {
  readonly steps: readonly JournalStep[];
  readonly waits: readonly JournalWait[];
}

/** What a person decided. `by` is the word of the one who sent it. */
export interface HistoryDecision {
  readonly kind: "approved" | "declined";
  readonly comment?: string;
  readonly by?: string;
  readonly at?: number;
}

/** A question about a call, and what came of it. */
export interface HistoryQuestion {
  /** What it is woken with. */
  readonly key: string;
  readonly question: JsonValue;
  readonly askedAt: number;
  /** Absent: it has not been answered. */
  readonly decision?: HistoryDecision;
}

export interface HistoryCall {
  /** From 1, in the order in which the script made them. */
  readonly number: number;
  /** Absent: the journal has not been told what the call is. */
  readonly call?: CallIdentity;
  /**
   * `begun`: an attempt was under way when this was read, or when its process died. `interrupted`: one was, when its
   * process died, and the script was told so.
   */
  readonly state: "begun" | "waiting" | "ended" | "interrupted";
  /** Milliseconds since the epoch. Absent in journals that did not keep it. */
  readonly begunAt?: number;
  readonly endedAt?: number;
  readonly questions: readonly HistoryQuestion[];
  /** Of a call that has ended. */
  readonly end?: Exclude<CallEnd, { readonly kind: "asked" }>;
}

/** What a run has done. Parts that cannot be read are absent. */
export interface RunHistory {
  readonly start?: RunStart;
  readonly calls: readonly HistoryCall[];
  /** When the latest thing happened that the journal has a time of; milliseconds since the epoch. */
  readonly lastAt?: number;
  /** Somebody wishes that it ends. */
  readonly cancel?: { readonly reason: string; readonly at?: number };
  readonly end?: { readonly outcome: ScriptOutcome; readonly at?: number };
}

/** The number of a call and of the attempt at it: `3`, then `3.2`. */
const CALL_KEY = /^([1-9]\d{0,8})(?:\.([1-9]\d{0,3}))?$/;
/** When it was found that the process of a call had died. */
const INTERRUPTED_KEY = /^([1-9]\d{0,8})\.at$/;

interface Gathered {
  readonly attempts: Map<number, JournalStep>;
  interruptedAt?: number;
}

export function readHistory({ steps, waits }: JournalContents): RunHistory {
  const calls = new Map<number, Gathered>();
  const gather = (number: number): Gathered => {
    const known = calls.get(number) ?? { attempts: new Map() };
    calls.set(number, known);
    return known;
  };
  let start: RunStart | undefined;
  let outcome: ScriptOutcome | undefined;
  for (const step of steps) {
    const attempt = CALL_KEY.exec(step.key);
    const interrupted = INTERRUPTED_KEY.exec(step.key);
    if (attempt !== null) gather(Number(attempt[1])).attempts.set(Number(attempt[2] ?? 1), step);
    else if (interrupted !== null && typeof step.value === "number")
      gather(Number(interrupted[1])).interruptedAt = step.value;
    else if (step.key === KEY.start) start = readStart(step.value);
    else if (step.key === KEY.end) outcome = readOutcome(step.value);
  }
  const asked = new Map(waits.map((wait) => [wait.key, wait]));
  const read = [...calls]
    .sort(([a], [b]) => a - b)
    .map(([number, gathered]) => callOf(number, gathered, asked));
  const cancel = asked.get(KEY.cancel);
  const ended = outcome === undefined ? undefined : timeOf(asked.get(KEY.end));
  const lastAt = latest([
    start?.environment.now,
    ended,
    ...read.flatMap(({ begunAt, endedAt, questions }) => [
      begunAt,
      endedAt,
      ...questions.flatMap((one) => [one.askedAt, one.decision?.at]),
    ]),
  ]);
  return {
    ...(start === undefined ? {} : { start }),
    calls: read,
    ...(lastAt === undefined ? {} : { lastAt }),
    ...(cancel?.value === undefined ? {} : { cancel: cancelOf(cancel) }),
    ...(outcome === undefined ? {} : { end: { outcome, ...(ended === undefined ? {} : { at: ended }) } }),
  };
}

function callOf(
  number: number,
  { attempts, interruptedAt }: Gathered,
  waits: ReadonlyMap<string, JournalWait>,
): HistoryCall {
  let call: CallIdentity | undefined;
  let begunAt: number | undefined;
  const questions: HistoryQuestion[] = [];
  for (let attempt = 1; ; attempt++) {
    const step = attempts.get(attempt);
    const begun = step === undefined || step.state === "done" ? undefined : readBegun(step.value);
    call ??= begun?.call;
    begunAt ??= begun?.begunAt;
    const known = { ...(call === undefined ? {} : { call }), ...(begunAt === undefined ? {} : { begunAt }) };
    // A decision that no attempt has followed yet: whoever carries the run on next makes it.
    if (step === undefined) {
      const waits = questions.length > 0 && questions.at(-1)?.decision === undefined;
      return { number, ...known, state: waits ? "waiting" : "begun", questions };
    }
    if (step.state === "interrupted")
      return {
        number,
        ...known,
        state: "interrupted",
        ...(interruptedAt === undefined ? {} : { endedAt: interruptedAt }),
        questions,
      };
    const record = step.state === "done" ? readCall(step.value) : undefined;
    if (record === undefined) return { number, ...known, state: "begun", questions };
    call ??= record.call;
    begunAt ??= record.begunAt;
    const { at, end } = record;
    if (end.kind !== "asked")
      return {
        number,
        call,
        state: "ended",
        ...(begunAt === undefined ? {} : { begunAt }),
        endedAt: at,
        questions,
        end,
      };
    const wait = waits.get(step.key);
    const decision = wait?.value === undefined ? undefined : decisionOf(wait);
    questions.push({
      key: step.key,
      question: end.question,
      askedAt: at,
      ...(decision === undefined ? {} : { decision }),
    });
  }
}

function decisionOf(wait: JournalWait): HistoryDecision {
  const value = isRecord(wait.value) ? wait.value : {};
  const { comment, by } = value;
  const at = timeOf(wait);
  return {
    // What is not clearly a yes is none.
    kind: value["kind"] === "approved" ? "approved" : "declined",
    ...(typeof comment === "string" ? { comment } : {}),
    ...(typeof by === "string" ? { by } : {}),
    ...(at === undefined ? {} : { at }),
  };
}

function cancelOf(wait: JournalWait): NonNullable<RunHistory["cancel"]> {
  const reason = isRecord(wait.value) ? wait.value["reason"] : undefined;
  const at = timeOf(wait);
  return { reason: typeof reason === "string" ? reason : "", ...(at === undefined ? {} : { at }) };
}

/** When it was woken: the engine's word before that of whoever woke it. */
function timeOf(wait: JournalWait | undefined): number | undefined {
  const said = isRecord(wait?.value) ? wait.value["at"] : undefined;
  return wait?.wokenAt ?? (typeof said === "number" && Number.isFinite(said) ? said : undefined);
}

function readOutcome(value: unknown): ScriptOutcome | undefined {
  if (!isRecord(value) || typeof value["ok"] !== "boolean") return undefined;
  if (!value["ok"] && !isRecord(value["error"])) return undefined;
  const isWhole = ["output", "calls", "warnings"].every((part) => Array.isArray(value[part]));
  // Written by the run's last step, as JSON.
  return isWhole && isRecord(value["stats"]) ? (value as unknown as ScriptOutcome) : undefined;
}

function latest(times: readonly (number | undefined)[]): number | undefined {
  let last: number | undefined;
  for (const time of times) if (time !== undefined && (last === undefined || time > last)) last = time;
  return last;
}
