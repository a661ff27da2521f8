/**
 * The calls of one durable run. Each is a step of the journal: made once, its outcome kept before the script can see
 * it, its arguments compared by hash when it comes again. The script's answers are handed over by {@link Turns} alone.
 */
import type { CallableTool, CallDecision, ToolCaller, ToolCallOptions, ToolCallOutcome } from "@nestbox/tool";
import type { Clock } from "../runner/clock.ts";
import { Stopwatch } from "../runner/stopwatch.ts";
import { messageOf } from "../shared/guards.ts";
import type { HostGlobal } from "../types.ts";
import {
  callText,
  type CallEnd,
  type CallIdentity,
  identify,
  readCall,
  writeBegun,
  writeCall,
} from "./call-record.ts";
import type { DurableClock } from "./clock.ts";
import { divergence, type Halt } from "./halt.ts";
import type { RunJournal } from "./journal.ts";
import { type Attempt, fingerprintOf, type Parking, readDecision } from "./parking.ts";
import type { OpenCall, Turns } from "./turns.ts";

/** Gives the power to make one call; nested ids are `<callId>/<n>`. It is given back after the call. */
export type CallerFor = (callId: string) => ToolCaller & Partial<AsyncDisposable>;

/** A call that waits for a person. */
export interface WaitingCall {
  /** The journal's key, to be woken with a `ParkedDecision`. */
  readonly key: string;
  readonly call: CallIdentity;
  /** What the person is shown. */
  readonly question: unknown;
}

export interface DurableCallsOptions {
  readonly journal: RunJournal;
  readonly clock: DurableClock;
  readonly callerFor: CallerFor;
  readonly tools: readonly CallableTool[];
  readonly turns: Turns;
  readonly parking: Parking | undefined;
  readonly callTimeoutMs: number | undefined;
  readonly decisionOf: ((callId: string) => CallDecision | undefined) | undefined;
  /** No step is taken before it is known that the run may go on here; `false`: it may not. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly onHalt: (halt: Halt) => void;
  /** Ends with the run in this process. */
  readonly signal: AbortSignal;
}

/** A policy that asks again about an answered call is refused after so many answers. */
const MAX_ASKS = 10;

export class DurableCalls {
  readonly #options: DurableCallsOptions;
  readonly #tools: ReadonlyMap<string, CallableTool>;
  readonly #waiting = new Map<number, WaitingCall>();
  readonly #underWay = new Set<Promise<unknown>>();
  #count = 0;
  /** Line of the call that the runner is about to make. */
  #line: number | undefined;

  constructor(options: DurableCallsOptions) {
    this.#options = options;
    this.#tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  }

  get count(): number {
    return this.#count;
  }

  waiting(): readonly WaitingCall[] {
    return [...this.#waiting.values()];
  }

  /** Resolves when every call that runs has been kept. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** The runner tells the line of a call right before it makes it. */
  atLine(line: number | undefined): void {
    this.#line = line;
  }

  get caller(): ToolCaller {
    return {
      tools: this.#options.tools,
      executeTool: (name, args, options) =>
        this.#make(name, args, true, (callId, attempt) =>
          this.#execute(callId, name, args, options, attempt),
        ).then((end) => {
          if (end.kind === "outcome") return end.outcome;
          throw thrownBy(end);
        }),
    };
  }

  globals(globals: readonly HostGlobal[]): readonly HostGlobal[] {
    return globals.map((global) => ({
      name: global.name,
      execute: async (args, context) => {
        const end = await this.#make(global.name, args, false, async () => {
          try {
            return { kind: "value", value: await global.execute(args, context) };
          } catch (error) {
            return thrown(error);
          }
        });
        if (end.kind === "value") return end.value;
        throw thrownBy(end);
      },
    }));
  }

  #make(
    name: string,
    args: unknown,
    isTool: boolean,
    run: (callId: string, attempt: Attempt) => Promise<CallEnd>,
  ): Promise<CallEnd> {
    const line = isTool ? this.#line : undefined;
    this.#line = undefined;
    return new Promise((resolve) => {
      const number = ++this.#count;
      const text = callText({ name, args: shortText(args) });
      const open: OpenCall = { number, line, text, state: "running", at: 0, release: () => undefined };
      this.#options.turns.add(open);
      this.#settle(open, name, args, isTool, run).then(
        (end) => {
          if (end === undefined) return;
          open.release = () => resolve(end);
          open.state = "ready";
          this.#options.turns.changed();
        },
        (error: unknown) => this.#options.onHalt({ kind: "journal", message: messageOf(error) }),
      );
    });
  }

  /** `undefined`: nothing more will come of it in this process. */
  async #settle(
    open: OpenCall,
    name: string,
    args: unknown,
    isTool: boolean,
    run: (callId: string, attempt: Attempt) => Promise<CallEnd>,
  ): Promise<CallEnd | undefined> {
    const { journal, turns, signal, onHalt } = this.#options;
    const call = await identify(name, args, open.line);
    if (!(await this.#options.mayGoOn()) || signal.aborted) return undefined;
    const repeatable = !isTool || isRepeatable(this.#tools.get(name));
    let answer: Attempt["answer"];
    for (let ask = 1; ask <= MAX_ASKS; ask++) {
      const key = ask === 1 ? String(open.number) : `${open.number}.${ask}`;
      const attempt: Attempt = answer === undefined ? {} : { answer };
      const execute = async () => {
        const begunAt = this.#options.clock.now();
        const end = await this.#attempt(`${journal.runId}:${open.number}`, attempt, run);
        return writeCall({ call, begunAt, at: this.#options.clock.now(), end });
      };
      const begun = writeBegun(call, this.#options.clock.now());
      const step = await this.#track(() => journal.step(key, execute, { repeatable, begun }));
      if (step.kind === "missing") {
        open.state = "missing";
        turns.changed();
        return undefined;
      }
      if (step.kind === "interrupted") return await this.#interrupted(open, name);
      const record = readCall(step.value);
      if (record === undefined) throw new Error(`The journal's entry ${key} is not a call`);
      if (record.call.name !== name || record.call.hash !== call.hash) {
        const line = open.line ?? record.call.line;
        onHalt(
          divergence({
            place: "call",
            call: open.number,
            ...(line === undefined ? {} : { line }),
            recorded: callText(record.call),
            came: callText(call),
          }),
        );
        return undefined;
      }
      open.at = record.at;
      if (record.end.kind !== "asked") return record.end;
      const decision = await this.#decision(open, { key, call, question: record.end.question }, ask);
      answer = { fingerprint: fingerprintOf(record.end.question) ?? "", decision };
    }
    return { kind: "thrown", name: "Error", message: `The call of ${name} was asked about too often` };
  }

  /** A person's decision, now or when this process is long gone. */
  async #decision(open: OpenCall, waiting: WaitingCall, ask: number) {
    const { journal, turns, signal } = this.#options;
    const question = { ...questionOf(waiting), ask };
    const wait = await journal.wait(waiting.key, question, { signal });
    if (wait.kind === "woken") return readDecision(wait.value, waiting.question);
    this.#waiting.set(open.number, waiting);
    open.state = "waiting";
    turns.changed();
    const value = await wait.woken;
    this.#waiting.delete(open.number);
    open.state = "running";
    return readDecision(value, waiting.question);
  }

  async #interrupted(open: OpenCall, name: string): Promise<CallEnd> {
    const { journal, clock } = this.#options;
    // When this was found is kept: a replay must see it at the same time.
    const found = await journal.step(`${open.number}.at`, () => Promise.resolve(clock.now()), {
      repeatable: true,
    });
    open.at = found.kind === "done" && typeof found.value === "number" ? found.value : 0;
    const message =
      `The call of ${name} had begun when its process ended, and whether it had its effect is not known. ` +
      "It was not made again, because the tool does not say that this would be safe (idempotentHint or readOnlyHint)";
    return { kind: "thrown", name: "InterruptedError", message };
  }

  async #attempt(
    callId: string,
    attempt: Attempt,
    run: (callId: string, attempt: Attempt) => Promise<CallEnd>,
  ): Promise<CallEnd> {
    const leave = this.#options.parking?.enter(callId, attempt);
    try {
      const end = await run(callId, attempt);
      return attempt.asked === undefined ? end : { kind: "asked", question: attempt.asked };
    } catch (error) {
      return thrown(error);
    } finally {
      leave?.();
    }
  }

  async #execute(
    callId: string,
    name: string,
    args: unknown,
    options: ToolCallOptions | undefined,
    attempt: Attempt,
  ): Promise<CallEnd> {
    const { callerFor, callTimeoutMs, decisionOf } = this.#options;
    const caller = callerFor(callId);
    const limit = new AbortController();
    const signal = AbortSignal.any([
      limit.signal,
      ...(options?.signal === undefined ? [] : [options.signal]),
    ]);
    const watch = this.#watch(caller);
    try {
      const calling: Promise<CallEnd> = caller.executeTool(name, args, { ...options, signal }).then(
        (outcome) => ({ kind: "outcome", outcome: decided(outcome, decisionOf) }),
        (error: unknown) => thrown(error),
      );
      if (callTimeoutMs === undefined || watch === undefined) return await calling;
      const late = new Promise<CallEnd>((resolve) => {
        watch.limit(callTimeoutMs, () => {
          // A call that waits for a person has not begun.
          if (attempt.asked !== undefined) return;
          const message = `The call of ${name} took longer than the limit of ${callTimeoutMs} ms`;
          limit.abort(new DOMException(message, "TimeoutError"));
          resolve({ kind: "thrown", name: "TimeoutError", message });
        });
      });
      return await Promise.race([calling, late]);
    } finally {
      watch?.stop();
      await caller[Symbol.asyncDispose]?.();
    }
  }

  #watch(caller: ToolCaller): Stopwatch | undefined {
    const { clock, callTimeoutMs } = this.#options;
    if (callTimeoutMs === undefined) return undefined;
    const time: Pick<Clock, "now" | "after"> = clock;
    return new Stopwatch(time, caller.pauses, () => undefined);
  }

  /** Counted before it begins: what it does may ask whether anything is under way. */
  async #track<T>(work: () => Promise<T>): Promise<T> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#underWay.add(promise);
    try {
      return await work();
    } finally {
      this.#underWay.delete(promise);
      resolve(undefined);
    }
  }
}

/** Safe to make again, as its author says. */
function isRepeatable(tool: CallableTool | undefined): boolean {
  return tool?.annotations?.idempotentHint === true || tool?.annotations?.readOnlyHint === true;
}

function decided(outcome: ToolCallOutcome, decisionOf: DurableCallsOptions["decisionOf"]): ToolCallOutcome {
  if (outcome.decision !== undefined || decisionOf === undefined) return outcome;
  try {
    const decision = decisionOf(outcome.toolCall.id);
    return decision === undefined ? outcome : { ...outcome, decision };
  } catch {
    return outcome;
  }
}

function thrown(error: unknown): CallEnd {
  const name = error instanceof Error && typeof error.name === "string" ? error.name : "Error";
  return { kind: "thrown", name, message: messageOf(error) };
}

function thrownBy(end: CallEnd): Error {
  const error = new Error(end.kind === "thrown" ? end.message : "The journal has another kind of call here");
  if (end.kind === "thrown") error.name = end.name;
  return error;
}

function questionOf({ call, question }: WaitingCall) {
  const { name, args, hash } = call;
  return { call: { name, args, hash }, question: question as never };
}

function shortText(args: unknown): string {
  return ((JSON.stringify(args) as string | undefined) ?? "").slice(0, 200);
}
