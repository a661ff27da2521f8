import type { JsonValue } from "@nestbox/tool";
import { CodemodeError } from "../runner/errors.ts";
import { resolveLimits } from "../runner/limits.ts";
import { isRecord, messageOf } from "../shared/guards.ts";
import type {
  HostGlobal,
  ScriptErrorKind,
  ScriptEvent,
  ScriptOutcome,
  ScriptRequest,
  ScriptRunner,
} from "../types.ts";
import type { CallerFor, WaitingCall } from "./calls.ts";
import { durableClock, type DurableClock } from "./clock.ts";
import { drive, type Drive } from "./drive.ts";
import { changed, differencesOf, divergence, type Halt } from "./halt.ts";
import { KEY, type RunJournal } from "./journal.ts";
import type { Parking } from "./parking.ts";
import { checkScript, type DurableScript } from "./script.ts";
import { firstDifferentLine, hashTools, readStart, type RunStart, writeStart } from "./start.ts";

export interface DurableRequest {
  readonly runner: ScriptRunner;
  readonly journal: RunJournal;
  /** Begins the run if the journal does not have it. A run that goes on needs none; another one is a divergence. */
  readonly script?: DurableScript;
  readonly callerFor: CallerFor;
  readonly globals?: readonly HostGlobal[];
  readonly describe?: ScriptRequest["describe"];
  /** The one whose approver the gate asks; without it, nothing waits for a person outside this process. */
  readonly parking?: Parking;
  /** What happens in this process, the repeated part included. */
  readonly onEvent?: (event: ScriptEvent) => void;
  /** Lets go of the run: what is under way is kept, then it halts as `released`. It ends by `cancelDurable` only. */
  readonly signal?: AbortSignal;
  readonly clock?: DurableClock;
  /** A run that waits for its next timer alone parks when that is farther away than this. Default 5,000 ms. */
  readonly parkAfterMs?: number;
}

export type DurableResult =
  | { readonly state: "ended"; readonly outcome: ScriptOutcome }
  /** It holds nothing of this process. It goes on when one of these is woken, or at `wakeAt` (since the epoch). */
  | { readonly state: "parked"; readonly waitingFor: readonly WaitingCall[]; readonly wakeAt?: number }
  | { readonly state: "halted"; readonly halt: Halt };

const PARK_AFTER_MS = 5_000;

/**
 * Begins a run or carries it on, until it ends, parks or halts. One process carries a run on at a time; one that
 * begins takes it from the one before, which then can keep nothing more and halts. Rejects for misuse only.
 */
export async function runDurable(request: DurableRequest): Promise<DurableResult> {
  const { script } = request;
  if (script !== undefined) checkScript(script);
  try {
    return await carryOn(request);
  } catch (error) {
    if (error instanceof CodemodeError && error.code === "misuse") throw error;
    return halted({ kind: "journal", message: messageOf(error) });
  }
}

/** The run ends as `aborted`, now where it runs, or when it is carried on next. The first wish counts. */
export async function cancelDurable(journal: RunJournal, reason = "Execution aborted"): Promise<void> {
  await journal.wake(KEY.cancel, { reason: reason.slice(0, 2_000) });
}

async function carryOn(request: DurableRequest): Promise<DurableResult> {
  const { journal, script, clock = durableClock } = request;
  const closed = new AbortController();
  try {
    const view = request.callerFor(journal.runId);
    const { tools } = view;
    const began = await journal.step(
      KEY.start,
      async () => {
        if (script === undefined) throw new CodemodeError("misuse", `There is no run ${journal.runId}`);
        return writeStart(await startOf(request, script, await hashTools(tools), clock));
      },
      { repeatable: true },
    );
    await view[Symbol.asyncDispose]?.();
    const start = began.kind === "done" ? readStart(began.value) : undefined;
    if (start === undefined)
      return halted({
        kind: "journal",
        message: "The journal's start cannot be read: it is of another version",
      });

    const end = await journal.wait(KEY.end, null, { signal: closed.signal });
    if (end.kind === "woken") {
      const kept = await keptEnd(journal, clock);
      // Woken by somebody else: what says that a run has ended is its end, and there is none.
      if (kept !== undefined) return kept;
    }
    if (script !== undefined && script.code !== start.code) {
      const { line, a, b } = firstDifferentLine(start.code, script.code);
      return halted(divergence({ place: "start", line, recorded: a, came: b }));
    }
    const deadline = start.deadlineMs === undefined ? undefined : start.environment.now + start.deadlineMs;
    const cancel = await journal.wait(KEY.cancel, null, { signal: closed.signal });
    if (cancel.kind === "woken")
      return await endWithout(journal, clock, "aborted", "AbortError", reasonOf(cancel.value));
    if (deadline !== undefined && clock.now() >= deadline) {
      return await endWithout(journal, clock, "timeout", "TimeoutError", lateText(start));
    }
    const names = (request.globals ?? []).map((global) => global.name);
    const differences = differencesOf(
      conditions(start.tools, start.globals),
      conditions(
        await hashTools(tools),
        names.filter((name) => start.globals.includes(name)),
      ),
    );
    if (differences.length > 0) return halted(changed(differences));

    let cancelDeadline: (() => void) | undefined;
    const onDrive = (running: Drive): void => {
      void cancel.woken.then((value) => running.end("aborted", "AbortError", reasonOf(value)));
      if (deadline !== undefined) {
        cancelDeadline = clock.after(deadline - clock.now(), () =>
          running.end("timeout", "TimeoutError", lateText(start)),
        );
      }
      const release = (): void => running.release("This process has let go of the run");
      if (request.signal?.aborted === true) release();
      else request.signal?.addEventListener("abort", release, { signal: closed.signal });
    };
    const result = await drive({
      runner: request.runner,
      journal,
      start,
      tools,
      callerFor: request.callerFor,
      globals: (request.globals ?? []).filter((one) => start.globals.includes(one.name)),
      describe: request.describe,
      parking: request.parking,
      onEvent: request.onEvent,
      clock,
      parkAfterMs: request.parkAfterMs ?? PARK_AFTER_MS,
      onDrive,
    });
    cancelDeadline?.();
    if (result.kind === "halted") return halted(result.halt);
    if (result.kind === "parked") {
      const { waitingFor } = result;
      const times = [result.wakeAt, deadline].filter((at) => at !== undefined);
      return { state: "parked", waitingFor, ...(times.length === 0 ? {} : { wakeAt: Math.min(...times) }) };
    }
    return await keepEnd(journal, clock, () =>
      Promise.resolve(JSON.parse(JSON.stringify(result.outcome)) as JsonValue),
    );
  } finally {
    closed.abort();
  }
}

/** The end that stands in the journal; `undefined` where there is none. */
async function keptEnd(journal: RunJournal, clock: DurableClock): Promise<DurableResult | undefined> {
  const none = new Error("There is no end");
  try {
    return await keepEnd(journal, clock, () => Promise.reject(none));
  } catch (error) {
    if (error === none) return undefined;
    throw error;
  }
}

/** The end is a step, so that there is one; waking tells those who wait for it, and when it was. */
async function keepEnd(
  journal: RunJournal,
  clock: DurableClock,
  execute: () => Promise<JsonValue>,
): Promise<DurableResult> {
  const step = await journal.step(KEY.end, execute, { repeatable: true });
  if (step.kind !== "done") throw new CodemodeError("journal", "The journal has lost the end of the run");
  // Whoever only found it does not know when it was.
  await journal.wake(KEY.end, step.replayed ? true : { at: Math.floor(clock.now()) });
  // Written by the step itself.
  return { state: "ended", outcome: step.value as unknown as ScriptOutcome };
}

function endWithout(
  journal: RunJournal,
  clock: DurableClock,
  kind: ScriptErrorKind,
  name: string,
  message: string,
): Promise<DurableResult> {
  const outcome: ScriptOutcome = {
    ok: false,
    error: { kind, name, message, stack: `${name}: ${message}` },
    output: [],
    calls: [],
    warnings: [],
    stats: { wallMs: 0, cpuMs: 0, pausedMs: 0, calls: 0, outputChars: 0 },
  };
  return keepEnd(journal, clock, () => Promise.resolve(JSON.parse(JSON.stringify(outcome)) as JsonValue));
}

async function startOf(
  request: DurableRequest,
  script: DurableScript,
  tools: Readonly<Record<string, string>>,
  clock: DurableClock,
): Promise<RunStart> {
  return {
    format: 1,
    code: script.code,
    store: script.store ?? {},
    limits: resolveLimits(script.limits),
    environment: {
      now: Math.floor(clock.now()),
      seed: (script.seed ?? randomSeed()) >>> 0,
      timeZone: script.timeZone ?? "UTC",
      locale: script.locale ?? "en-US",
    },
    tools,
    globals: (request.globals ?? []).map((global) => global.name),
    ...(script.deadlineMs === undefined ? {} : { deadlineMs: script.deadlineMs }),
  };
}

export function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}

function conditions(
  tools: Readonly<Record<string, string>>,
  globals: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...Object.entries(tools).map(([name, hash]) => [`tool ${name}`, hash] as const),
    ...globals.map((name) => [`function ${name}`, "there"] as const),
  ]);
}

function reasonOf(value: JsonValue): string {
  const reason = isRecord(value) ? value["reason"] : "";
  return typeof reason === "string" && reason !== "" ? reason : "Execution aborted";
}

const lateText = (start: RunStart): string => `The run has not ended within ${start.deadlineMs ?? 0} ms`;

const halted = (halt: Halt): DurableResult => ({ state: "halted", halt });
