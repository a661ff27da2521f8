/**
 * Carries one run on in this process, from its start: what the journal has is given again, what it has not is done.
 * It ends with the script's end, parks when nothing but a person or a far timer is waited for, or halts, in which
 * case nothing more is kept and the run can be carried on elsewhere.
 */
import type { CallableTool, CallDecision, PauseSource } from "@nestbox/tool";
import { messageOf } from "../shared/guards.ts";
import type {
  HostGlobal,
  ScriptErrorKind,
  ScriptEvent,
  ScriptOutcome,
  ScriptRequest,
  ScriptRunner,
} from "../types.ts";
import { DurableCalls, type CallerFor, type WaitingCall } from "./calls.ts";
import type { DurableClock } from "./clock.ts";
import { changed, differencesOf, type Halt } from "./halt.ts";
import { KEY, type RunJournal } from "./journal.ts";
import type { Parking } from "./parking.ts";
import { readEngine, type RunStart } from "./start.ts";
import { type OpenCall, Turns } from "./turns.ts";

export interface DriveOptions {
  readonly runner: ScriptRunner;
  readonly journal: RunJournal;
  readonly start: RunStart;
  readonly tools: readonly CallableTool[];
  readonly callerFor: CallerFor;
  readonly globals: readonly HostGlobal[];
  readonly describe?: ScriptRequest["describe"];
  readonly decisionOf?: ((callId: string) => CallDecision | undefined) | undefined;
  readonly pauses?: PauseSource | undefined;
  readonly parking?: Parking | undefined;
  readonly onEvent?: ((event: ScriptEvent) => void) | undefined;
  readonly clock: DurableClock;
  /** `Infinity`: the run never parks. */
  readonly parkAfterMs: number;
  /** Milliseconds that the script may take without the time that a person is asked; only where nothing parks. */
  readonly timeoutMs?: number | undefined;
  /** A mismatch of the engine is told and does not halt. */
  readonly anyEngine?: boolean;
  /** Of a recording: nothing that it has can happen any more. Absent: that is a divergence of the journal. */
  readonly onStuck?: (call: OpenCall | undefined, drive: Drive) => void;
  /** Called once, before anything runs. */
  readonly onDrive?: (drive: Drive) => void;
}

export type DriveResult =
  | {
      readonly kind: "ended";
      readonly outcome: ScriptOutcome;
      readonly engine: EngineSeen;
      readonly calls: number;
    }
  | {
      readonly kind: "parked";
      readonly waitingFor: readonly WaitingCall[];
      readonly wakeAt: number | undefined;
    }
  /** With what came of the script where its runner has told it. */
  | { readonly kind: "halted"; readonly halt: Halt; readonly outcome?: ScriptOutcome };

export interface EngineSeen {
  readonly recorded: string;
  readonly now: string;
}

/** How a run in this process can be ended from outside. */
export interface Drive {
  /** The script ends, with this as its error. */
  readonly end: (kind: ScriptErrorKind, name: string, message: string) => void;
  /** The run halts once what is under way has been kept. */
  readonly release: (message: string) => void;
  readonly halt: (halt: Halt) => void;
  /** How many calls the script has made. */
  readonly callsMade: () => number;
}

export async function drive(options: DriveOptions): Promise<DriveResult> {
  const { runner, journal, start, clock } = options;
  const stop = new AbortController();
  const engineKnown = Promise.withResolvers<boolean>();
  let engine: EngineSeen = { recorded: "", now: "" };
  let started = false;
  let result: DriveResult | undefined;
  let ending: { readonly kind: ScriptErrorKind; readonly name: string; readonly message: string } | undefined;

  const over = (): boolean => result !== undefined || ending !== undefined;
  const halt = (why: Halt): void => {
    if (over()) return;
    result = { kind: "halted", halt: why };
    shut();
  };
  const shut = (): void => {
    turns.stop();
    engineKnown.resolve(false);
    stop.abort(new DOMException("The run does not go on in this process", "AbortError"));
  };
  const self: Drive = {
    halt,
    callsMade: () => calls.count,
    end(kind, name, message) {
      if (over()) return;
      ending = { kind, name, message };
      shut();
    },
    release(message) {
      if (over()) return;
      turns.stop();
      void calls.settled().then(() => halt({ kind: "released", message }));
    },
  };
  const turns = new Turns({
    journal,
    clock,
    now: start.environment.now,
    parkAfterMs: options.parkAfterMs,
    onHalt: halt,
    onStuck: (call) => options.onStuck?.(call, self),
    onPark(wakeAt) {
      if (over()) return;
      result = { kind: "parked", waitingFor: calls.waiting(), wakeAt };
      shut();
    },
  });
  const calls = new DurableCalls({
    journal,
    clock,
    turns,
    callerFor: options.callerFor,
    tools: options.tools,
    parking: options.parking,
    callTimeoutMs: start.limits.callTimeoutMs,
    decisionOf: options.decisionOf,
    mayGoOn: () => engineKnown.promise,
    onHalt: halt,
    signal: stop.signal,
  });

  const checkEngine = async (now: string): Promise<void> => {
    const step = await journal.step(KEY.engine, () => Promise.resolve(now), { repeatable: true });
    const recorded = step.kind === "done" && typeof step.value === "string" ? step.value : "";
    engine = { recorded, now };
    const differences = differencesOf(readEngine(recorded), readEngine(now));
    if (differences.length > 0 && options.anyEngine !== true) halt(changed(differences));
    else engineKnown.resolve(true);
  };
  const onEvent = (event: ScriptEvent): void => {
    if (event.type === "start") {
      started = true;
      checkEngine(event.engine).catch((error: unknown) =>
        halt({ kind: "journal", message: messageOf(error) }),
      );
    } else if (event.type === "call" && event.call.status === "running") calls.atLine(event.call.line);
    options.onEvent?.(event);
  };

  options.onDrive?.(self);
  const { callTimeoutMs: _, timeoutMs: __, ...limits } = start.limits;
  const outcome = await runner.run({
    code: start.code,
    caller: { ...calls.caller, ...(options.pauses === undefined ? {} : { pauses: options.pauses }) },
    globals: calls.globals(options.globals),
    limits: { ...limits, ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }) },
    store: start.store,
    signal: stop.signal,
    onEvent,
    ...(options.describe === undefined ? {} : { describe: options.describe }),
    environment: {
      now: () => start.environment.now,
      seed: start.environment.seed,
      timeZone: start.environment.timeZone,
      locale: start.environment.locale,
      turns: turns.rest,
    },
  });
  turns.stop();
  const halted = read(() => result);
  if (halted !== undefined) return halted;
  const ended = read(() => ending);
  // What the engine said decides whether this outcome may be kept.
  if (ended === undefined && read(() => started)) await engineKnown.promise;
  stop.abort(new DOMException("The script has ended", "AbortError"));
  engineKnown.resolve(false);
  const late = read(() => result);
  if (late !== undefined) return late;
  if (!outcome.ok && ended !== undefined) {
    const { kind, name, message } = ended;
    const error = { kind, name, message, stack: `${name}: ${message}` };
    return { kind: "ended", outcome: { ...outcome, error }, engine, calls: calls.count };
  }
  // Nobody here has aborted it: its runner was closed, and another one can carry the run on.
  if (!outcome.ok && (outcome.error.kind === "sandbox" || outcome.error.kind === "aborted")) {
    return { kind: "halted", halt: { kind: "sandbox", message: outcome.error.message }, outcome };
  }
  return { kind: "ended", outcome, engine, calls: calls.count };
}

/** Read through a function: the compiler would conclude that nothing has changed meanwhile. */
function read<T>(value: () => T): T {
  return value();
}
