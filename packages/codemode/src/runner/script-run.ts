/**
 * One script, on the host's side: it begins every turn, takes every report, and decides how the run ended. The
 * first terminal event wins: the script's own end, a limit, an abort, the death of its sandbox.
 *
 * A sandbox that has a turn to report and does not is ended from here with SIGKILL once the script's processor time
 * and a grace are over; one whose memory has grown past its limit at once.
 */
import type { CallableTool, JsonValue } from "@nestbox/tool";
import type { ToolNames } from "../declarations/identifier.ts";
import { messageOf } from "../shared/guards.ts";
import type {
  OutputItem,
  ScriptErrorKind,
  ScriptEvent,
  ScriptLimits,
  ScriptOutcome,
  ScriptRequest,
  ScriptRest,
  ScriptWarning,
} from "../types.ts";
import { Backlog } from "./backlog.ts";
import type { Clock } from "./clock.ts";
import type { SandboxExit } from "./driver.ts";
import { FRAME, type Frame, oversize, type Segment } from "./frames.ts";
import type { OutputCheck } from "./output-check.ts";
import type { Lease } from "./pool.ts";
import { ProtocolError, readEnd, readReport, type Row } from "./protocol.ts";
import { encodeAnswer, type ReadyAnswer, releaseAnswers, restOf } from "./script-answers.ts";
import { ScriptCalls } from "./script-calls.ts";
import { asMemory, memoryMessage, scriptErrorOf } from "./script-error.ts";
import type { ScriptAnswer } from "./script-value.ts";
import { prepareMs } from "./prepare-time.ts";
import { startHeader } from "./start-header.ts";
import { type Ending, outcomeOf } from "./script-outcome.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { tellEvent } from "./tell-event.ts";
import { fitsStore, MAX_WRITTEN_CHARS } from "./store-writes.ts";

export interface ScriptRunOptions {
  readonly run: number;
  readonly request: ScriptRequest;
  readonly limits: ScriptLimits;
  readonly tools: readonly CallableTool[];
  readonly names: ToolNames;
  readonly lease: Lease;
  readonly check: OutputCheck;
  readonly clock: Clock;
  readonly watch: Stopwatch;
  /** Time past the processor limit before a sandbox that does not answer is ended. */
  readonly graceMs: number;
  /** Resident memory at which the sandbox is ended. */
  readonly maxResidentBytes: number;
}

const WATCH_MS = 25;
const MAX_WARNINGS = 100;
/** A gap between two looks in which this process was away, not the sandbox: what it sent waits in the pipe. */
const AWAY_MS = 250;
/** Gaps of one turn that are not counted; a host that is always away must not keep a script running. */
const MAX_AWAY = 4;
/** What a value may take here beside twice its script's memory, in which it stood twice, with its text. */
const VALUE_BYTES = 64 * 1024 * 1024;
/** How long a turn may go on after the script has ended in it. */
const AFTERMATH_MS = 100;
/** Frames of another run that are nobody's. */
const MAX_STRAYS = 1_000;
/** A stop that a parked sandbox does not confirm in this time ends it. */
const STOP_MS = 250;

export class ScriptRun {
  readonly outcome: Promise<ScriptOutcome>;
  readonly #options: ScriptRunOptions;
  readonly #resolve: (outcome: ScriptOutcome) => void;
  readonly #calls: ScriptCalls;
  readonly #output: OutputItem[] = [];
  readonly #warnings: ScriptWarning[] = [];
  #outputChars = 0;
  #answers: ReadyAnswer[] = [];
  readonly #backlog: Backlog;
  #flushQueued = false;
  /** A report is being read: what is answered meanwhile goes after its last row. */
  #reading = false;
  /** Turns that were begun and not yet reported. */
  #turns = 0;
  #turnSince = 0;
  #strays = 0;
  #lookedAt = 0;
  #away = 0;
  #wakeMs = -1;
  /** The sandbox has been told of this run. */
  #begun = false;
  #busyMs = 0;
  #heapBytes: number | undefined;
  #cancelWatch: (() => void) | undefined;
  #cancelWake: (() => void) | undefined;
  #cancelStop: (() => void) | undefined;
  #ending: Ending | undefined;
  #endedAt: number | undefined;
  /** The first turn, in which the source is read, has been reported. */
  #reported = false;
  #resolved = false;
  /** The outcome is resolved at the end of this turn of the event loop. */
  #resolving = false;
  #peakBytes = 0;
  readonly #prepareMs: number;
  #killed: "timeout" | "memory" | undefined;

  constructor(options: ScriptRunOptions) {
    this.#options = options;
    this.#prepareMs = prepareMs(options.request.code);
    const { promise, resolve } = Promise.withResolvers<ScriptOutcome>();
    this.outcome = promise;
    this.#resolve = resolve;
    this.#backlog = new Backlog(options.limits.maxFrameBytes);
    this.#calls = new ScriptCalls({
      request: options.request,
      tools: options.tools,
      names: options.names.tools,
      clock: options.clock,
      check: options.check,
      callTimeoutMs: options.limits.callTimeoutMs,
      maxHeldBytes: options.limits.maxFrameBytes,
      emit: (event) => this.#emit(event),
      answer: (id, answer) => this.#answer(id, answer),
    });
    options.lease.onFrame = (frame) => this.#receive(frame);
    options.lease.onExit = (exit) => this.#exit(exit);
  }

  start(toolsText: { readonly names: string; readonly all: string }): void {
    const { lease, limits, request, clock } = this.#options;
    if (lease.tools?.names !== toolsText.names || lease.tools.all !== toolsText.all) {
      const table = [toolsText.names, toolsText.all];
      if (!this.#fits("The tools with their descriptions", "{}", table)) return;
      lease.link.send(FRAME.tools, 0, "{}", table);
      lease.tools = toolsText;
    }
    const header = startHeader(request, limits);
    this.#lookedAt = clock.now();
    this.#cancelWatch = clock.every(WATCH_MS, () => this.#look());
    this.#emit({ type: "start", limits, engine: lease.engine });
    this.#begin(FRAME.start, header, [request.code, JSON.stringify(request.store ?? {})]);
  }

  /** Ends the script from outside. */
  stop(kind: ScriptErrorKind, name: string, message: string): void {
    this.#fail(kind, name, message);
    this.#finish(false);
  }

  // --- Turns ---------------------------------------------------------------------------------------------------

  #begin(type: number, header: string, segments?: readonly Segment[]): void {
    if (!this.#fits(type === FRAME.start ? "The script with its store" : "Answers", header, segments)) return;
    if (this.#turns++ === 0) this.#sinceNow();
    this.#begun = true;
    this.#backlog.begin(this.#answers.reduce((sum, { bytes }) => sum + bytes, 0));
    this.#options.lease.link.send(type, this.#options.run, header, segments);
  }

  #sinceNow(): void {
    this.#turnSince = this.#options.clock.now();
    this.#away = 0;
  }

  /** Ends the script when a frame would be larger than the sandbox takes. */
  #fits(what: string, header: string, segments?: readonly Segment[]): boolean {
    const { maxFrameBytes } = this.#options.limits;
    const size = oversize(maxFrameBytes, header, segments);
    if (size === undefined) return true;
    this.#tooLarge(what, size);
    return false;
  }

  #tooLarge(what: string, bytes: number): void {
    const { maxFrameBytes } = this.#options.limits;
    const message = `${what}: ${bytes} bytes are more than the limit of ${maxFrameBytes} (maxFrameBytes)`;
    this.stop("limit", "LimitError", message);
  }

  /** Whether turns are begun from outside; they are told when the script rests. */
  #rest(): boolean {
    const turns = this.#options.request.environment?.turns;
    const begin: ScriptRest["begin"] = ({ kind, now }) => {
      if (this.#turns > 0 || this.#ending !== undefined) return;
      if (kind === "timer") this.#begin(FRAME.tick, String(now));
      else this.#flush(now);
    };
    if (this.#turns === 0) turns?.(restOf(this.#answers.length, this.#calls.open, this.#wakeMs, begin));
    return turns !== undefined;
  }

  readonly #now = (): number => this.#options.request.environment?.now?.() ?? 0;

  #answer(id: number, answer: ScriptAnswer): void {
    if (this.#ending !== undefined) return;
    const ready = encodeAnswer(id, answer, (message) => this.#warn({ kind: "value", message }));
    this.#answers.push(ready);
    const held = this.#backlog.hold(ready.bytes);
    if (held !== undefined) {
      this.#tooLarge("Answers", held);
      return;
    }
    // The last open call answers at once; otherwise what comes in the same round goes in one frame.
    // Goes with the report of a turn that is still running.
    if (this.#backlog.isFull) return;
    const atOnce = this.#calls.open === 0 && !this.#reading;
    if (atOnce && this.#options.request.environment?.turns === undefined) this.#flush();
    else this.#flushSoon();
  }

  #flushSoon(): void {
    if (this.#flushQueued) return;
    this.#flushQueued = true;
    this.#options.clock.soon(() => this.#flush());
  }

  /** `at`: the time of a turn that is begun from outside, which takes all answers as they came. */
  #flush(at?: number): void {
    this.#flushQueued = false;
    if (this.#answers.length === 0 || this.#ending !== undefined || this.#backlog.isFull) return;
    this.#guarded("The order of results", () => {
      if (at === undefined && this.#rest()) return;
      const order = at === undefined ? this.#options.request.environment?.order : undefined;
      const frame = releaseAnswers(this.#answers, order, this.#calls.open === 0);
      this.#answers = frame.held;
      if (frame.text === "") return;
      this.#begin(FRAME.answers, `${at ?? this.#now()};[${frame.text}]`, frame.segments);
      this.#options.lease.link.poll?.();
    });
  }

  /** What the host injects is called where nobody would catch what it throws: it ends the script. */
  #guarded(what: string, work: () => void): void {
    try {
      work();
    } catch (error) {
      this.stop("sandbox", "SandboxError", `${what} could not be told: ${messageOf(error)}`);
    }
  }

  #receive(frame: Frame): void {
    try {
      if (frame.run !== this.#options.run) {
        if (++this.#strays > MAX_STRAYS)
          throw new ProtocolError("more frames of other scripts than there can be");
        return;
      }
      if (frame.type === FRAME.ended) this.#ended(frame);
      else if (frame.type === FRAME.turn || frame.type === FRAME.early) this.#report(frame);
      else throw new ProtocolError("a frame of an unknown type");
    } catch (error) {
      const message =
        error instanceof ProtocolError ? error.message : "a report that the host could not read";
      this.#fail("sandbox", "SandboxError", `The sandbox sent ${message}`);
      this.#finish(true);
    }
  }

  #report(frame: Frame): void {
    const { maxDepth, memoryMb } = this.#options.limits;
    const report = readReport(frame, { maxDepth, maxValueBytes: VALUE_BYTES + 2 * memoryMb * 1024 * 1024 });
    const turn = frame.type === FRAME.turn;
    if (this.#turns === 0) throw new ProtocolError("a turn that nobody began");
    if (turn) {
      this.#turns--;
      if (this.#backlog.reported()) this.#flushSoon();
      this.#reported = true;
      this.#sinceNow();
      this.#busyMs = Math.max(this.#busyMs, report.busyMs);
      this.#heapBytes = report.heapBytes ?? this.#heapBytes;
    }
    this.#reading = true;
    try {
      for (const row of report.rows) this.#row(row);
    } finally {
      this.#reading = false;
    }
    if (this.#ending !== undefined) this.#endedAt ??= this.#options.clock.now();
    if (report.rejection !== undefined)
      this.#warn({ kind: "unhandled-rejection", message: report.rejection });
    if (!turn) return;
    if (this.#ending !== undefined) {
      this.#settle();
      return;
    }
    this.#cancelWake?.();
    this.#cancelWake = undefined;
    this.#wakeMs = report.wakeMs;
    const waits = this.#turns > 0 || this.#calls.open > 0 || this.#answers.length > 0;
    if (!waits && report.wakeMs < 0) throw new ProtocolError("a rest in which nothing is waited for");
    let rests = false;
    this.#guarded("The order of turns", () => (rests = this.#rest()));
    if (this.#ending !== undefined) return;
    if (!rests && report.wakeMs >= 0) {
      this.#cancelWake = this.#options.clock.after(Math.ceil(report.wakeMs), () =>
        this.#guarded("The time", () => this.#begin(FRAME.tick, String(this.#now()))),
      );
    }
    if (report.inFlight > this.#calls.open + this.#answers.length && this.#turns === 0) {
      throw new ProtocolError("calls in flight that were never made");
    }
  }

  #row(row: Row): void {
    // Nothing counts after the end, except what the script is warned about.
    if (this.#ending !== undefined && row.kind !== "warning") return;
    const { limits, request } = this.#options;
    switch (row.kind) {
      case "tool":
      case "execute":
      case "global":
        this.#call(row);
        return;
      case "text":
        this.#put({ type: "text", text: row.text }, row.text.length);
        return;
      case "console":
        this.#put({ type: "console", text: row.text }, row.text.length);
        return;
      case "image":
        this.#put({ type: "image", data: row.data, mimeType: row.mimeType }, row.data.length);
        return;
      case "warning":
        this.#warn({ kind: row.warning, message: row.message });
        return;
      case "done":
        if (!fitsStore(row.writes)) {
          const message = `The script changed more in its store than the limit of ${MAX_WRITTEN_CHARS} characters`;
          this.#fail("limit", "LimitError", message);
          return;
        }
        this.#ending = { ok: true, value: row.value as JsonValue | undefined, writes: row.writes };
        return;
      case "failed":
        // Only a refusal of this host's own makes a `PolicyError` one.
        if (row.error.kind === "policy" && !this.#calls.anyDenied)
          throw new ProtocolError("a refusal of a call that nobody made");
        this.#ending = {
          ok: false,
          error: scriptErrorOf(asMemory(row.error, limits.memoryMb), request.code),
        };
    }
  }

  #call(row: Extract<Row, { readonly id: number }>): void {
    const { limits } = this.#options;
    if (!this.#calls.accepts(row.id)) throw new ProtocolError("a call under an id that was used");
    if (this.#calls.open >= limits.maxCallsInFlight || this.#calls.count >= limits.maxCalls) {
      throw new ProtocolError("more calls than the script may make");
    }
    if (row.kind === "tool") {
      if (!this.#calls.callTool(row, row.tool)) throw new ProtocolError("a call of no tool");
    } else if (row.kind === "execute") this.#calls.executeTool(row, row.name);
    else if (!this.#calls.callGlobal(row.id, row.global, row.args))
      throw new ProtocolError("a call of no global");
  }

  #put(item: OutputItem, chars: number): void {
    this.#outputChars += chars;
    const { maxOutputChars, maxOutputItems } = this.#options.limits;
    if (this.#outputChars > maxOutputChars || this.#output.length >= maxOutputItems) {
      throw new ProtocolError("more output than the script may make");
    }
    this.#output.push(item);
    this.#emit({ type: "output", item });
  }

  #warn(warning: ScriptWarning): void {
    if (this.#warnings.length >= MAX_WARNINGS) return;
    this.#warnings.push(warning);
    if (!this.#resolved) this.#tell({ type: "warning", warning });
  }

  #emit(event: ScriptEvent): void {
    if (event.type === "warning") this.#warn(event.warning);
    else this.#tell(event);
  }

  #tell(event: ScriptEvent): void {
    tellEvent(this.#options.request.onEvent, event);
  }

  // --- The watchdog --------------------------------------------------------------------------------------------

  #look(): void {
    const now = this.#options.clock.now();
    const gap = now - this.#lookedAt;
    this.#lookedAt = now;
    if (gap > AWAY_MS && this.#away++ < MAX_AWAY) this.#turnSince += Math.min(gap, now - this.#turnSince);
    // Between turns nothing of the script's runs, and nothing grows.
    if (this.#turns === 0) return;
    const { lease, clock, limits, graceMs, maxResidentBytes } = this.#options;
    const bytes = lease.link.memoryBytes();
    if (bytes !== undefined) {
      this.#peakBytes = Math.max(this.#peakBytes, bytes);
      if (bytes > maxResidentBytes) {
        this.#killed = "memory";
        lease.link.kill();
        this.#memoryFailure();
        this.#finish(true);
        return;
      }
    }
    if (this.#endedAt !== undefined) {
      // The outcome is known and the turn goes on: whatever runs there has nothing left to say.
      if (clock.now() - this.#endedAt > AFTERMATH_MS) this.#finish(true);
      return;
    }
    const allowance = graceMs + (this.#reported ? 0 : this.#prepareMs);
    if (clock.now() - this.#turnSince <= Math.max(0, limits.cpuMs - this.#busyMs) + allowance) return;
    this.#killed = "timeout";
    this.#busyMs += clock.now() - this.#turnSince;
    lease.link.kill();
    const message = `The script's own code ran for more than the limit of ${limits.cpuMs} ms and did not let itself be stopped`;
    this.#fail("timeout", "CpuLimitError", message);
    this.#finish(true);
  }

  #memoryFailure(): void {
    this.#fail("memory", "MemoryLimitError", memoryMessage(this.#options.limits.memoryMb));
  }

  #exit(exit: SandboxExit): void {
    const big = this.#peakBytes > this.#options.maxResidentBytes / 2;
    const message = `The sandbox process ended while the script ran: ${exit.message}`;
    if (exit.outOfMemory || (big && this.#killed === undefined)) this.#memoryFailure();
    else this.#fail("sandbox", "SandboxError", message);
    this.#finish(true);
  }

  // --- The end -------------------------------------------------------------------------------------------------

  #fail(kind: ScriptErrorKind, name: string, message: string): void {
    this.#ending ??= { ok: false, error: { kind, name, message, stack: `${name}: ${message}` } };
  }

  /** The last report has come: the outcome stands, the sandbox says `ended` once the realm is gone. */
  #settle(): void {
    this.#options.lease.ending();
    if (this.#calls.open === 0) this.#resolveOutcome();
    else {
      // Calls that nobody awaits: those whose tools are done by now end as what they are, the others are cut off.
      this.#resolving = true;
      this.#options.clock.soon(() => {
        this.#resolving = false;
        this.#resolveOutcome();
      });
    }
    this.#cancelStop ??= this.#options.clock.after(STOP_MS + this.#options.graceMs, () => this.#finish(true));
  }

  /** Confirms that the realm is disposed: the sandbox can take the next script. */
  #ended(frame: Frame): void {
    if (this.#ending === undefined) throw new ProtocolError("an end without an outcome");
    this.#release(!readEnd(frame).renew);
    this.#resolveOutcome();
  }

  /** Ends the run from this side; the sandbox is kept when it confirms the stop in time. */
  #finish(dead: boolean): void {
    if (dead) {
      this.#release(false);
    } else if (!this.#begun) {
      this.#release(true);
    } else {
      this.#options.lease.link.send(FRAME.stop, this.#options.run, "{}");
      this.#cancelStop ??= this.#options.clock.after(STOP_MS, () => this.#release(false));
    }
    this.#resolveOutcome();
  }

  #release(reusable: boolean): void {
    this.#cancelWatch?.();
    this.#cancelWake?.();
    this.#cancelStop?.();
    this.#options.lease.release(reusable);
  }

  #resolveOutcome(): void {
    const ending = this.#ending;
    if (this.#resolved || this.#resolving || ending === undefined) return;
    this.#resolved = true;
    this.#cancelWake?.();
    this.#calls.end();
    const told = {
      output: this.#output,
      warnings: this.#warnings,
      watch: this.#options.watch,
      cpuMs: this.#busyMs,
      heapBytes: this.#heapBytes,
      outputChars: this.#outputChars,
    };
    this.#resolve(outcomeOf(ending, this.#calls, told));
  }
}
