/**
 * One script inside a sandbox process, from its `start` frame to its `ended` frame.
 *
 * The host begins every turn (start, answers, tick) and gets exactly one `turn` frame back, which is how it knows
 * that this process still answers; `early` frames come in between. After the turn in which the script finished, or
 * failed in a way that spoils the realm, the realm is disposed and `ended` says so.
 */
import { FRAME, oversize, type Segment } from "../runner/frames.ts";
import { MAX_HEADER_CHARS } from "../runner/protocol.ts";
import type { PrepareOutcome } from "../source/prepare.ts";
import type { TurnEnd, Vm, VmHooks } from "./vm.ts";

export interface SessionOptions {
  readonly run: number;
  readonly vm: Vm;
  readonly code: string;
  /** What the script may use; a realm that was configured ahead has the same. */
  readonly setup: string;
  /** The run's own store and environment. */
  readonly own: string;
  readonly cpuMs: number;
  readonly memoryMb: number;
  /** What the host takes; a larger frame would end this process instead of the script. */
  readonly maxFrameBytes: number;
  readonly prepare: (code: string) => PrepareOutcome;
  readonly send: (type: number, run: number, header: string, segments?: readonly Segment[]) => void;
  readonly ended: () => void;
  readonly clock: () => number;
}

export interface Session {
  readonly run: number;
  readonly hooks: VmHooks["emit"];
  start(): void;
  settle(answers: string, now: number, segments: readonly Segment[]): void;
  tick(now: number): void;
  stop(): void;
}

const MAX_SEGMENTS = 1_000_000;

export function createSession(options: SessionOptions): Session {
  const { run, vm, send, clock } = options;
  let busyMs = 0;
  let over = false;
  /** This process should not be given another script. */
  let renew = false;
  /** Output that did not fit into a frame: the script ends with its turn. */
  let tooLarge: number | undefined;

  function timed(step: (leftMs: number) => TurnEnd): TurnEnd {
    const started = clock();
    const left = options.cpuMs - busyMs;
    const end: TurnEnd = left <= 0 ? { kind: "timeout" } : step(left);
    busyMs += clock() - started;
    return end;
  }

  function turn(end: TurnEnd): void {
    if (over) return;
    if (tooLarge !== undefined) {
      fail(tooLargeError(tooLarge));
      return;
    }
    if (end.kind === "waiting" || end.kind === "rejection") {
      report(end);
      return;
    }
    finishWith(failureOf(end));
  }

  /** What the turn has left in the queue. Handing it out takes memory as well: undefined when there was no more. */
  function taken(): { readonly text: string; readonly segments: readonly string[] } | undefined {
    try {
      const text = vm.drain();
      const count = Math.min(MAX_SEGMENTS, Number(text.slice(1, text.indexOf(";"))));
      const segments: string[] = [];
      for (let index = 0; index < count; index++) segments.push(vm.takeSegment(index));
      return { text, segments };
    } catch (error) {
      if (safely(() => vm.memoryBytes()) !== undefined) throw error;
      return undefined;
    }
  }

  /** Sends what the turn has left in the queue; the last one when the script has finished. */
  function report(turnEnd: Extract<TurnEnd, { readonly kind: "waiting" | "rejection" }>): void {
    const queue = taken();
    if (queue === undefined) {
      fail(failureOf({ kind: "memory", message: "" }));
      return;
    }
    const { text, segments } = queue;
    const semicolon = text.indexOf(";");
    const finished = !text.startsWith("0");
    // What `exit()` throws is no error, and rejects whatever promise it was called for.
    const exits = text.startsWith("2") && turnEnd.kind === "rejection" && !turnEnd.isError;
    const heap = finished ? safely(() => vm.memoryBytes()) : undefined;
    const extra =
      (turnEnd.kind === "waiting" || exits ? "" : `,"x":${JSON.stringify(turnEnd.message.slice(0, 2000))}`) +
      (heap === undefined ? "" : `,"h":${heap}`);
    const header = `${text.slice(semicolon + 1, -1)},"b":${busyMs.toFixed(2)}${extra}}`;
    const size = oversize(options.maxFrameBytes, header, segments);
    if (size !== undefined || header.length > MAX_HEADER_CHARS) {
      fail(size === undefined ? tooMuchError() : tooLargeError(size));
      return;
    }
    send(FRAME.turn, run, header, segments);
    if (finished) end();
  }

  function tooLargeError(size: number): Record<string, unknown> {
    const { maxFrameBytes } = options;
    const message = `What the script put out, called and returned in one turn: ${size} bytes are more than the limit of ${maxFrameBytes} (maxFrameBytes); await some of its calls before the others`;
    return { kind: "limit", name: "LimitError", message };
  }

  function tooMuchError(): Record<string, unknown> {
    const message = `What the script called, named and was warned of in one turn is more than the limit of ${MAX_HEADER_CHARS} characters`;
    return { kind: "limit", name: "LimitError", message };
  }

  function finishWith(error: Record<string, unknown>): void {
    let partial: string | undefined;
    const segments: string[] = [];
    try {
      // What the script had put out before it was stopped.
      const text = vm.partial();
      const semicolon = text.indexOf(";");
      const count = Number(text.slice(0, semicolon));
      for (let index = 0; index < count; index++) segments.push(vm.takeSegment(index));
      partial = text.slice(semicolon + 2, -1);
    } catch {
      segments.length = 0;
    }
    fail(error, partial, segments);
  }

  /** Ends the script with this error, after the rows that were queued where they fit beside it. */
  function fail(error: Record<string, unknown>, before = "", segments: readonly string[] = []): void {
    const row = `[8,${JSON.stringify(error)}]`;
    const frame = (rows: string): string => `{"r":[${rows}],"p":0,"w":-1,"b":${busyMs.toFixed(2)}}`;
    const all = frame(before === "" ? row : `${before},${row}`);
    const fits =
      all.length <= MAX_HEADER_CHARS && oversize(options.maxFrameBytes, all, segments) === undefined;
    if (fits) send(FRAME.turn, run, all, segments);
    else send(FRAME.turn, run, frame(row));
    end();
  }

  function failureOf(end: TurnEnd): Record<string, unknown> {
    if (end.kind === "syntax") return { kind: "script", name: end.name, message: end.message };
    if (end.kind === "memory") {
      return {
        kind: "memory",
        name: "MemoryLimitError",
        message: `The script used more than its memory limit of ${options.memoryMb} MB; filter or aggregate large data instead of accumulating it`,
      };
    }
    return {
      kind: "timeout",
      name: "CpuLimitError",
      message: `The script's own code ran for more than the limit of ${options.cpuMs} ms`,
    };
  }

  function end(): void {
    if (over) return;
    over = true;
    vm.dispose();
    send(FRAME.ended, run, JSON.stringify({ renew }));
    options.ended();
  }

  function read(): PrepareOutcome | undefined {
    try {
      return options.prepare(options.code);
    } catch {
      // What removes types has broken on this text and stays so: the next script gets another process.
      renew = true;
      const message = "The script cannot be read: its types could not be removed; write it as JavaScript";
      finishWith({ kind: "script", name: "SyntaxError", message });
      return undefined;
    }
  }

  return {
    run,
    hooks(text, segments) {
      if (over || tooLarge !== undefined) return;
      tooLarge = oversize(options.maxFrameBytes, text, segments);
      if (tooLarge === undefined) send(FRAME.early, run, text, segments);
    },
    start() {
      // Not the script's own time: the host's watchdog has an allowance for it.
      const prepared = read();
      if (prepared === undefined) return;
      if (!prepared.ok) {
        const { name, message, line, column, lineText } = prepared.error;
        finishWith({ kind: "script", name, message, line, column, lineText });
        return;
      }
      if (vm.setup === undefined) vm.configure(options.setup);
      turn(
        timed((left) =>
          vm.start(
            {
              text: prepared.program,
              lineOffset: prepared.lineOffset,
              trailing: prepared.trailing,
              mayGoOn: prepared.mayGoOn,
              shift: prepared.shifts[0],
            },
            options.own,
            left,
          ),
        ),
      );
    },
    settle(answers, now, segments) {
      if (!over) turn(timed((left) => vm.settle(answers, now, segments, left)));
    },
    tick(now) {
      if (!over) turn(timed((left) => vm.tick(now, left)));
    },
    stop() {
      end();
    },
  };
}

function safely<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
