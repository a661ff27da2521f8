/**
 * Decides what a script sees next. At every rest there is either one thing that can happen, which then needs no
 * record, or a choice: which of the answers that are there, or the timer. A choice is a step of the journal, so that
 * it is made once. The time of a turn comes from what happens in it and never from the clock of the one who replays.
 */
import type { JsonValue } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";
import type { ScriptRest } from "../types.ts";
import type { DurableClock } from "./clock.ts";
import { divergence, type Halt } from "./halt.ts";
import type { RunJournal } from "./journal.ts";

/** One call that the script has made and whose answer it has not seen. */
export interface OpenCall {
  readonly number: number;
  readonly line: number | undefined;
  /** `name({"its":"arguments"})`, shortened. */
  readonly text: string;
  /** `waiting`: for a person. `missing`: the journal is a recording and does not have it. */
  state: "running" | "waiting" | "missing" | "ready";
  /** When its outcome was there; milliseconds since the epoch. */
  at: number;
  /** Hands the outcome to the runner. */
  release: () => void;
}

export interface TurnsOptions {
  readonly journal: RunJournal;
  readonly clock: DurableClock;
  /** Time of the script's start. */
  readonly now: number;
  /** A run whose next timer is farther away than this, and that has nothing else to do, parks. */
  readonly parkAfterMs: number;
  readonly onPark: (wakeAt: number | undefined) => void;
  readonly onHalt: (halt: Halt) => void;
  /** Of a recording: nothing that it has can happen any more. */
  readonly onStuck: (call: OpenCall | undefined) => void;
}

type Turn = { readonly kind: "timer" | "calls"; readonly calls: readonly number[]; readonly now: number };

export class Turns {
  readonly #options: TurnsOptions;
  readonly #open = new Map<number, OpenCall>();
  #rest: ScriptRest | undefined;
  #now: number;
  /** How many choices there were. */
  #choices = 0;
  #choosing = false;
  #turn: Turn | undefined;
  /** How many answers of the turn are with the runner. */
  #released = 0;
  #cancelTimer: (() => void) | undefined;
  #stopped = false;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#now = options.now;
  }

  add(call: OpenCall): void {
    this.#open.set(call.number, call);
  }

  /** The runner's hook: the script rests. */
  readonly rest = (rest: ScriptRest): void => {
    this.#rest = rest;
    this.changed();
  };

  /** Something about a call is another than before. */
  changed(): void {
    if (this.#rest === undefined || this.#stopped || this.#choosing) return;
    if (this.#turn === undefined) this.#decide(this.#rest);
    if (this.#turn !== undefined) this.#carryOut(this.#turn, this.#rest);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer?.();
  }

  #decide(rest: ScriptRest): void {
    // Answers that no call of ours gave: a name that is no tool, a refusal that the runner remembers.
    if (rest.ready > 0) {
      this.#turn = { kind: "calls", calls: [], now: this.#now };
      return;
    }
    const calls = [...this.#open.values()];
    const due = rest.timerMs === undefined ? undefined : this.#now + Math.ceil(rest.timerMs);
    const ready = calls.filter((call) => call.state === "ready");
    const isDue = due !== undefined && this.#options.clock.now() >= due;
    if (calls.length === 0 && due !== undefined) {
      if (isDue) this.#turn = { kind: "timer", calls: [], now: due };
    } else if (calls.length === 1 && due === undefined) {
      const [only] = ready;
      if (only !== undefined)
        this.#turn = { kind: "calls", calls: [only.number], now: Math.max(this.#now, only.at) };
    } else if (ready.length > 0 || isDue) {
      void this.#choose(due);
      return;
    }
    if (this.#turn === undefined) this.#idle(calls, due);
  }

  /** Nothing can happen now: waits for the timer, parks, or tells that a recording has ended. */
  #idle(calls: readonly OpenCall[], due: number | undefined): void {
    const { clock, parkAfterMs, onPark, onStuck } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (calls.some((call) => call.state === "running" || call.state === "ready")) {
      if (due !== undefined) this.#wait(due);
      return;
    }
    const missing = calls.find((call) => call.state === "missing");
    if (missing !== undefined) {
      this.stop();
      onStuck(missing);
      return;
    }
    const farAway = due === undefined || due - clock.now() > parkAfterMs;
    if (farAway && Number.isFinite(parkAfterMs) && (calls.length > 0 || due !== undefined)) {
      this.stop();
      onPark(due);
    } else if (due !== undefined) this.#wait(due);
  }

  #wait(due: number): void {
    const { clock } = this.#options;
    this.#cancelTimer?.();
    this.#cancelTimer = clock.after(Math.max(0, due - clock.now()), () => this.changed());
  }

  async #choose(due: number | undefined): Promise<void> {
    this.#choosing = true;
    this.#cancelTimer?.();
    const key = `t${++this.#choices}`;
    try {
      const step = await this.#options.journal.step(key, () => Promise.resolve(this.#pick(due)), {
        repeatable: true,
      });
      if (this.#stopped) return;
      const turn = step.kind === "done" ? readTurn(step.value) : undefined;
      if (step.kind === "missing") {
        this.stop();
        this.#options.onStuck([...this.#open.values()].find((call) => call.state === "missing"));
      } else if (turn === undefined) {
        this.#halt({ kind: "journal", message: `The journal's entry ${key} cannot be read` });
      } else this.#turn = turn;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#halt({ kind: "journal", message });
    } finally {
      this.#choosing = false;
    }
    this.changed();
  }

  /** What happens next, when this is the first time: the timer if it was due before the first of the answers. */
  #pick(due: number | undefined): JsonValue {
    const ready = [...this.#open.values()].filter((call) => call.state === "ready");
    const first = Math.min(...ready.map((call) => call.at));
    if (due !== undefined && this.#options.clock.now() >= due && due <= first) {
      return { timer: true, now: due };
    }
    const order = ready.toSorted((a, b) => a.at - b.at || a.number - b.number);
    const now = Math.max(this.#now, ...ready.map((call) => call.at));
    return { calls: order.map((call) => call.number), now };
  }

  /** Hands answers to the runner one after the other, so that they reach the script in this very order. */
  #carryOut(turn: Turn, rest: ScriptRest): void {
    if (turn.kind === "timer" && rest.timerMs === undefined) {
      this.#diverged("a timer that fired", "a script that has set none");
      return;
    }
    if (turn.kind === "calls" && rest.ready < this.#released) return;
    const next = turn.calls[this.#released];
    if (turn.kind === "calls" && next !== undefined) {
      const call = this.#open.get(next);
      if (call === undefined) {
        this.#diverged(`the answer of call ${next}`, "a script that has not made it");
        return;
      }
      if (call.state === "missing") {
        this.stop();
        this.#options.onStuck(call);
        return;
      }
      if (call.state !== "ready") return;
      this.#open.delete(next);
      this.#released++;
      call.release();
      return;
    }
    this.#rest = undefined;
    this.#turn = undefined;
    this.#released = 0;
    this.#now = Math.max(this.#now, turn.now);
    rest.begin({ kind: turn.kind === "timer" ? "timer" : "answers", now: this.#now });
  }

  #diverged(recorded: string, came: string): void {
    const call = [...this.#open.values()][0];
    this.#halt(
      divergence({
        place: "turn",
        ...(call?.line === undefined ? {} : { line: call.line }),
        recorded,
        came: call === undefined ? came : `${came} and waits for call ${call.number}, ${call.text}`,
      }),
    );
  }

  #halt(halt: Halt): void {
    this.stop();
    this.#options.onHalt(halt);
  }
}

function readTurn(value: unknown): Turn | undefined {
  if (!isRecord(value) || typeof value["now"] !== "number") return undefined;
  const { now, timer, calls } = value;
  if (timer === true) return { kind: "timer", calls: [], now };
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  if (!calls.every((call): call is number => Number.isSafeInteger(call))) return undefined;
  return { kind: "calls", calls, now };
}
