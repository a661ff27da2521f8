import { messageOf } from "../shared/guards.ts";
import type { ScriptErrorKind, ScriptEvent, ScriptOutcome, ScriptRunner } from "../types.ts";
import { readCall, callText } from "./call-record.ts";
import type { DurableClock } from "./clock.ts";
import { compareOutcomes, type Difference } from "./compare.ts";
import { drive } from "./drive.ts";
import { type Change, differencesOf, type Divergence, divergence, type Halt } from "./halt.ts";
import type { RunJournal, Step } from "./journal.ts";
import type { Recording } from "./recording.ts";
import { readEngine } from "./start.ts";

export interface ReplayOptions {
  readonly runner: ScriptRunner;
  readonly recording: Recording;
  /** Another script in the place of the recorded one, to see where it goes another way. */
  readonly code?: string;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ScriptEvent) => void;
}

/** What repeating a recording has shown. Nothing was called in any case. */
export type ReplayResult =
  | { readonly kind: "equal"; readonly outcome: ScriptOutcome; readonly engine: readonly Change[] }
  /** Every call was the same, and what came of them was not. */
  | {
      readonly kind: "different";
      readonly differences: readonly Difference[];
      readonly outcome: ScriptOutcome;
      readonly engine: readonly Change[];
    }
  | { readonly kind: "diverged"; readonly divergence: Divergence; readonly engine: readonly Change[] }
  /** It could not be repeated here: no sandbox, or an abort. */
  | { readonly kind: "failed"; readonly message: string };

/** Ends that come from outside the script: a repetition ends where the recording does. */
const FROM_OUTSIDE = new Set<ScriptErrorKind>(["timeout", "aborted", "sandbox", "memory"]);

/** Time that has always passed already: timers are due at once. */
const NO_WAIT: DurableClock = {
  now: () => Number.POSITIVE_INFINITY,
  after(_ms, run) {
    let live = true;
    queueMicrotask(() => {
      if (live) run();
    });
    return () => {
      live = false;
    };
  },
};

/** Repeats a recorded run without any tool and compares, letter for letter. */
export async function replayRecording(options: ReplayOptions): Promise<ReplayResult> {
  const { runner, recording, signal } = options;
  const { steps, outcome: recorded } = recording;
  const cut = !recorded.ok && FROM_OUTSIDE.has(recorded.error.kind);
  const journal = recordingJournal(steps);
  const over = new AbortController();
  let engineText = "";
  let made = (): number => 0;
  const engine = (): readonly Change[] =>
    differencesOf(readEngine(engineRecorded(steps)), readEngine(engineText));
  const driven = drive({
    runner,
    journal,
    start: { ...recording.start, ...(options.code === undefined ? {} : { code: options.code }) },
    tools: recording.tools,
    callerFor: () => ({ tools: recording.tools, executeTool: () => Promise.reject(new Error("Not called")) }),
    globals: recording.start.globals.map((name) => ({ name, execute: () => undefined })),
    onEvent(event) {
      if (event.type === "start") engineText = event.engine;
      options.onEvent?.(event);
    },
    clock: NO_WAIT,
    parkAfterMs: Number.POSITIVE_INFINITY,
    anyEngine: true,
    onStuck(call, { end, halt, callsMade }) {
      const left = callAfter(steps, callsMade());
      if (cut && left === undefined) end(recorded.error.kind, recorded.error.name, recorded.error.message);
      else {
        halt(
          divergence({
            place: call === undefined ? "turn" : "call",
            ...(call === undefined ? {} : { call: call.number }),
            ...(call?.line === undefined ? {} : { line: call.line }),
            recorded: left ?? (cut ? "the end" : "the end of the script"),
            came: call?.text ?? "another turn",
          }),
        );
      }
    },
    onDrive({ halt, callsMade }) {
      made = callsMade;
      const abort = (): void => halt({ kind: "released", message: "The repetition was aborted" });
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { signal: over.signal });
    },
  });
  let result: Awaited<typeof driven>;
  try {
    result = await driven;
  } catch (error) {
    // What it begins with is nothing that a run can begin with: it was not written by `recordRun`.
    return { kind: "failed", message: messageOf(error) };
  } finally {
    over.abort();
  }
  if (result.kind === "parked")
    return { kind: "failed", message: "The repetition waited for what never comes" };
  if (result.kind === "halted") return ofHalt(result.halt, callAfter(steps, made()), engine());
  const { outcome } = result;
  const left = callAfter(steps, result.calls);
  if (left !== undefined) {
    const came = outcome.ok ? "the end of the script" : `the end of the script: ${outcome.error.message}`;
    return {
      kind: "diverged",
      divergence: divergence({ place: "end", recorded: left, came }),
      engine: engine(),
    };
  }
  const differences = compareOutcomes(recorded, outcome);
  return differences.length === 0
    ? { kind: "equal", outcome, engine: engine() }
    : { kind: "different", differences, outcome, engine: engine() };
}

function ofHalt(halt: Halt, next: string | undefined, engine: readonly Change[]): ReplayResult {
  if (halt.kind !== "diverged") return { kind: "failed", message: halt.message };
  const { kind: _, ...found } = halt;
  if (found.place !== "turn" || next === undefined) return { kind: "diverged", divergence: found, engine };
  // A recording knows what the script should have called.
  return { kind: "diverged", divergence: divergence({ ...found, recorded: next }), engine };
}

function engineRecorded(steps: Recording["steps"]): string {
  const engine = Object.hasOwn(steps, "engine") ? steps["engine"] : "";
  return typeof engine === "string" ? engine : "";
}

/** Gives what was recorded and runs nothing. */
function recordingJournal(steps: Recording["steps"]): RunJournal {
  return {
    runId: "recording",
    step(key): Promise<Step> {
      const value = Object.hasOwn(steps, key) ? steps[key] : undefined;
      return Promise.resolve(
        value === undefined ? { kind: "missing" } : { kind: "done", value, replayed: true },
      );
    },
    wait: () => Promise.resolve({ kind: "waiting", woken: new Promise(() => undefined) }),
    wake: () => Promise.resolve({ kind: "stored" }),
  };
}

/** The first recorded call after so many, as text. */
function callAfter(steps: Recording["steps"], count: number): string | undefined {
  const numbers = Object.keys(steps)
    .filter((key) => /^\d+$/.test(key))
    .map(Number)
    .filter((number) => number > count);
  const next = numbers.length === 0 ? undefined : Math.min(...numbers);
  const record = next === undefined ? undefined : readCall(steps[String(next)]);
  if (record === undefined) return undefined;
  const at = record.call.line === undefined ? "" : ` (line ${record.call.line})`;
  return `call ${next ?? ""}, ${callText(record.call)}${at}`;
}
