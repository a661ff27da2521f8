import type { Frames } from "./frames.ts";
import type { Primordials } from "./primordials.ts";
import type { Queue, Segment } from "./queue.ts";
import type { Encoded, Values } from "./values.ts";

/** What the host says about a script before it runs, and before there is one. */
export interface CoreConfig {
  /** Exact name and the identifier that the tool owns, or `null` where another tool owns it. */
  readonly tools: readonly (readonly [name: string, identifier: string | null])[];
  readonly globals: readonly string[];
  readonly limits: {
    readonly depth: number;
    readonly valueChars: number;
    readonly outputChars: number;
    readonly outputItems: number;
    readonly logLines: number;
    readonly calls: number;
    readonly inFlight: number;
    readonly timers: number;
  };
}

/**
 * The bridge inside the isolate: calls, answers, output, the end of the script. What leaves goes through the queue, when
 * the turn has ended (`drain`), output also while it runs.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeCore(P: Primordials, queue: Queue, stacks: Frames) {
  "use strict";
  const { frames, lineOf } = stacks;
  const { push, segment } = queue;
  const SEGMENT_CHARS = 1024;
  /** An end that is shorter leaves at once. */
  const FLUSH_CHARS = 256 * 1024;

  let finished = false;
  /** What `exit()` throws, so that nothing after it runs. It is no failure, wherever it ends up. */
  const EXIT = P.freeze(P.create(null) as object);
  let exited = false;
  let callCount = 0;
  let nextId = 1;
  let inFlight = 0;
  interface Pending {
    readonly resolve: (value: unknown) => void;
    readonly reject: (error: unknown) => void;
    /** Made where the script made the call: its stack is read only if the call fails. */
    readonly site: Error | undefined;
  }
  /** Calls whose place in the script is kept for the error that they may end in. */
  const SITES = 256;
  /** Calls whose line is told with them: reading it costs more than the call. */
  const LINES = 64;
  const pending = new P.Map<number, Pending>() as unknown as Map<unknown, unknown>;
  interface WaitingCall {
    readonly row: (segment: number) => string;
    readonly segment: string | undefined;
  }
  /** Calls that wait for a place in flight: their row and segments, in order. */
  let waiting = P.list<WaitingCall | undefined>();
  let waitingHead = 0;
  let waitingTail = 0;
  /** Errors of denied calls with their messages: one that a script has rewritten is the script's own. */
  const denied = new P.WeakMap<object, string>() as unknown as WeakMap<object, unknown>;
  const limited = new P.WeakSet<object>();
  let limits = {
    depth: 512,
    valueChars: 0,
    outputChars: 0,
    outputItems: 0,
    logLines: 0,
    calls: 0,
    inFlight: 0,
    timers: 0,
  } as CoreConfig["limits"];
  let values: Values | undefined;
  let nextWake: () => number = () => -1;
  let writes: () => string = () => "[]";

  const warn = (kind: string, message: string): void => {
    push("[9," + P.stringify(kind) + "," + P.stringify(P.slice(message, 0, 2000)) + "]");
  };

  /** A value that leaves by a function that the script calls: its line is told of what cannot leave, however deep. */
  function encode(value: unknown, what: string): Encoded {
    try {
      return (values as Values).encode(value, { what, lenient: false });
    } catch (error) {
      throw placed(error);
    }
  }

  /** Reading a deep value takes more frames than a stack has: such an error names no line of the script. */
  function placed(error: unknown): unknown {
    try {
      if (typeof error !== "object" || error === null || !(values as Values).isError(error)) return error;
      if (frames(error as Error) !== "") return error;
      const lines = frames(new P.Error());
      const { name, message } = error as Error;
      if (lines !== "")
        define(error, "stack", P.String(name) + ": " + P.String(message) + "\n" + lines, false);
    } catch {
      // An error of the script's own that does not let itself be read.
    }
    return error;
  }

  // --- Calls ---------------------------------------------------------------------------------------------------

  function startCall(kind: number, target: string, args: unknown, what: string): Promise<unknown> {
    return new P.Promise((resolve, reject) => {
      if (finished) throw new P.Error("The script has ended: no call can be made any more");
      const encoded = encode(args, what);
      if (++callCount > limits.calls) {
        throw limitError("the script made more than the limit of " + limits.calls + " calls");
      }
      const id = nextId++;
      const site = id <= SITES ? new P.Error() : undefined;
      const line = site !== undefined && id <= LINES && kind !== 3 ? lineOf(site) : "0";
      const head = "[" + kind + "," + id + "," + target + "," + line;
      const text =
        encoded.kind === "undefined"
          ? undefined
          : encoded.kind === "string"
            ? P.stringify(encoded.text)
            : encoded.text;
      // A long one stands beside the row, which then has its number.
      const held = text !== undefined && text.length > SEGMENT_CHARS ? text : undefined;
      const row = (index: number): string =>
        text === undefined ? head + "]" : head + "," + (held === undefined ? "[" + text + "]" : index) + "]";
      P.mapSet(pending, id, { resolve, reject, site } satisfies Pending);
      if (inFlight < limits.inFlight) {
        inFlight++;
        push(row(held === undefined ? -1 : segment(held)));
      } else {
        waiting[waitingTail++] = { row, segment: held };
      }
    });
  }

  function admit(): void {
    while (inFlight < limits.inFlight && waitingHead < waitingTail) {
      const next = waiting[waitingHead] as WaitingCall;
      waiting[waitingHead++] = undefined;
      inFlight++;
      push(next.row(next.segment === undefined ? -1 : segment(next.segment)));
    }
    if (waitingHead === waitingTail && waitingHead > 0) {
      waiting = P.list();
      waitingHead = 0;
      waitingTail = 0;
    }
  }

  interface Rejection {
    readonly name: string;
    readonly message: string;
    readonly denied?: boolean;
    readonly properties?: Record<string, unknown>;
  }

  function errorOf(rejection: Rejection, site: Error | undefined): Error {
    const { name, message } = rejection;
    // The host leaves it out where there are none, and a script's prototype is not to give some.
    const properties = P.hasOwn(rejection, "properties") ? rejection.properties : undefined;
    const Constructor =
      name === "TypeError"
        ? P.TypeError
        : name === "RangeError"
          ? P.RangeError
          : name === "SyntaxError"
            ? P.SyntaxError
            : name === "ReferenceError"
              ? P.ReferenceError
              : name === "URIError"
                ? P.URIError
                : P.Error;
    const error = new Constructor(message);
    if (Constructor === P.Error && name !== "Error") define(error, "name", name, false);
    if (properties !== undefined) {
      const keys = P.objectKeys(properties);
      for (let i = 0; i < keys.length; i++) {
        const key = keys[i] as string;
        if (key !== "name" && key !== "message" && key !== "stack") define(error, key, properties[key], true);
      }
    }
    if (rejection.denied === true) P.weakMapSet(denied, error, message);
    const lines = site === undefined ? "" : frames(site);
    define(
      error,
      "stack",
      lines === "" ? name + ": " + message : name + ": " + message + "\n" + lines,
      false,
    );
    return error;
  }

  function define(target: object, key: PropertyKey, value: unknown, enumerable: boolean): void {
    P.defineProperty(target, key, descriptor(value, enumerable, true));
  }

  function descriptor(value: unknown, enumerable: boolean, open: boolean): PropertyDescriptor {
    // No prototype: a `get` that a script puts on Object.prototype must not become part of it.
    const made = P.create(null) as PropertyDescriptor;
    made.value = value;
    made.writable = open;
    made.enumerable = enumerable;
    made.configurable = open;
    return made;
  }

  /**
   * Answers of the host: `[id, kind, payload]`; kind 0 nothing, 1 value, 2 string segment, 3 JSON segment, 4 error,
   * 5 a value that holds bytes.
   */
  function settle(text: string, parts: readonly Segment[]): void {
    const answers = P.parse(text) as [number, number, unknown][];
    for (let i = 0; i < answers.length; i++) {
      const answer = answers[i] as [number, number, unknown];
      const id = answer[0];
      const entry = P.mapGet(pending, id) as Pending | undefined;
      if (entry === undefined) continue;
      P.mapDelete(pending, id);
      inFlight--;
      const kind = answer[1];
      const body = answer[2];
      if (kind === 4) {
        entry.reject(errorOf(body as Rejection, entry.site));
        continue;
      }
      try {
        if (kind === 0) entry.resolve(undefined);
        else if (kind === 1) entry.resolve(body);
        else if (kind === 2) entry.resolve(parts[body as number]);
        else if (kind === 3) entry.resolve(P.parse(parts[body as number] as string));
        else entry.resolve(withBytes(body as Parameters<typeof withBytes>[0], parts));
      } catch (error) {
        entry.reject(error);
      }
    }
    admit();
  }

  type BytesPlace = readonly [path: readonly (string | number)[], start: number, length: number];

  /** `[JSON segment, places]`, with the bytes of all places in the segment after it; the JSON has `null` there. */
  function withBytes(body: readonly [number, readonly BytesPlace[]], parts: readonly Segment[]): unknown {
    let root = P.parse(parts[body[0]] as string) as unknown;
    const all = P.typedBuffer?.(parts[body[0] + 1]) as ArrayBuffer;
    const places = body[1];
    for (let i = 0; i < places.length; i++) {
      const place = places[i] as BytesPlace;
      const path = place[0];
      // Copied, so that none of them holds the others.
      const bytes = new P.Uint8Array(new P.Uint8Array(all, place[1], place[2]));
      if (path.length === 0) {
        root = bytes;
        continue;
      }
      let at = root as object;
      for (let j = 0; j < path.length - 1; j++) at = P.reflectGet(at, path[j] as string) as object;
      define(at, path[path.length - 1] as string, bytes, true);
    }
    return root;
  }

  // --- The end -------------------------------------------------------------------------------------------------

  function limitError(message: string): Error {
    const error = new P.RangeError(message);
    P.weakSetAdd(limited, error);
    finish(errorRow(error));
    return error;
  }

  /** `last`: nothing of the script can run after it in this turn, so that the report of the turn is soon enough. */
  function finish(row: string, last = false): void {
    if (finished) return;
    finished = true;
    push(row);
    // Short ends leave at once: whatever hangs after it, the outcome stands.
    if (!last && queue.chars() < FLUSH_CHARS) queue.flush();
  }

  /** Name, message and the script's own frames as plain strings; nothing of the thrown value itself leaves. */
  function describe(thrown: unknown): Record<string, unknown> {
    const out = P.create(null) as Record<string, unknown>;
    try {
      if (typeof thrown === "object" && thrown !== null && (values as Values).isError(thrown)) {
        const error = thrown as Error;
        const name = P.String(error.name);
        const message = P.String(error.message);
        const isDenial = name === "PolicyError" && P.weakMapGet(denied, error) === message;
        out["kind"] = isDenial ? "policy" : P.weakSetHas(limited, error) ? "limit" : "script";
        out["name"] = P.slice(name, 0, 200);
        out["message"] = P.slice(message, 0, 65536);
        out["stack"] = frames(error);
        return out;
      }
      out["kind"] = "script";
      out["message"] = P.slice(format(thrown), 0, 65536);
    } catch {
      out["kind"] = "script";
      out["message"] = "The script threw a value that cannot be described";
      delete out["name"];
      delete out["stack"];
    }
    return out;
  }

  function errorRow(thrown: unknown): string {
    return "[8," + P.stringify(describe(thrown)) + "]";
  }

  function succeed(value: unknown, trailing: boolean, last: boolean): void {
    if (finished) return;
    let row: string;
    try {
      const encoded =
        trailing && outputItems > 0
          ? ({ kind: "undefined" } as const)
          : (values as Values).encode(value, { what: "the returned value", lenient: false });
      let body = "null";
      if (encoded.kind === "string") {
        body =
          encoded.text.length > SEGMENT_CHARS
            ? "[1," + segment(encoded.text) + "]"
            : P.stringify(encoded.text);
      } else if (encoded.kind === "json") {
        body =
          encoded.text.length > SEGMENT_CHARS
            ? "[2," + segment(encoded.text) + "]"
            : "[0," + encoded.text + "]";
      }
      row = "[7," + body + "," + writes() + "]";
    } catch (error) {
      row = errorRow(error);
    }
    finish(row, last);
  }

  /** `mayGoOn`: work that the script does not await may go on after its end. */
  function run(script: () => Promise<unknown>, trailing: boolean, mayGoOn: boolean): void {
    let promise: unknown;
    try {
      promise = script();
    } catch (error) {
      finish(errorRow(error));
      return;
    }
    // Own and undefined: `then` takes the intrinsic constructor, whatever the prototype says by now.
    P.defineProperty(promise as object, "constructor", descriptor(undefined, false, true));
    void P.then(
      promise,
      ((value: unknown) => succeed(value, trailing, !mayGoOn)) as never,
      ((error: unknown) => finish(errorRow(error), !mayGoOn)) as never,
    );
  }

  // --- Output --------------------------------------------------------------------------------------------------

  let outputChars = 0;
  let outputItems = 0;
  let logLines = 0;

  function output(kind: 4 | 5 | 6, text: Segment, mimeType?: string): void {
    if (finished) return;
    const bytes = typeof text !== "string";
    // Bytes are counted as the base64 that the host makes of them.
    outputChars += bytes ? P.mathFloor(((P.typedLength?.(text) as number) + 2) / 3) * 4 : text.length;
    outputItems++;
    if (kind === 5) logLines++;
    if (outputChars > limits.outputChars || outputItems > limits.outputItems) {
      throw limitError(
        "script output exceeded the limit of " +
          limits.outputChars +
          " characters or " +
          limits.outputItems +
          " text(), image(), and console calls. Print a summary instead, or write large data to a file with a tool.",
      );
    }
    if (logLines > limits.logLines) {
      throw limitError("the script wrote more than the limit of " + limits.logLines + " console lines");
    }
    const body = bytes || text.length > SEGMENT_CHARS ? P.String(segment(text)) : P.stringify(text);
    push("[" + kind + "," + body + (mimeType === undefined ? "]" : "," + P.stringify(mimeType) + "]"));
    // Bytes never wait: whatever is taken one by one later is text.
    if (bytes || queue.isDue()) queue.flush();
  }

  /** One value as console lines and thrown values show it. */
  function format(value: unknown): string {
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null && (values as Values).isError(value))
      return errorText(value as Error);
    if (typeof value === "number") return P.String(value);
    const isObject = typeof value === "object" && value !== null;
    if (!isObject && !(values as Values).hasJson(value)) return P.String(value);
    try {
      const encoded = (values as Values).encode(value, { what: "the value", lenient: true });
      return encoded.kind === "undefined" ? P.String(value) : encoded.text;
    } catch {
      return P.String(value);
    }
  }

  function errorText(error: Error): string {
    const message = P.String(error.message);
    const head = message === "" ? P.String(error.name) : P.String(error.name) + ": " + message;
    const lines = frames(error);
    return lines === "" ? head : head + "\n" + lines;
  }

  // --- For the host --------------------------------------------------------------------------------------------

  /** `state segments;{"r":rows,"p":calls in flight,"w":milliseconds to the next timer or -1}`; the state is 0 while the script runs, 1 at its end, 2 if it was `exit()`. */
  function drain(): string {
    const wake = nextWake();
    if (!finished && inFlight === 0 && wake < 0) {
      const error = new P.Error(
        "The script is waiting on a promise that can never settle: no tool call is pending and no timer is set.",
      );
      finished = true;
      push("[8," + P.stringify(describeStalled(error)) + "]");
    }
    const state = (exited ? "2" : finished ? "1" : "0") + queue.segments() + ";";
    return state + '{"r":' + queue.rowsText() + ',"p":' + inFlight + ',"w":' + wake + "}";
  }

  /** What was queued before the script was stopped: `segments;rows`. */
  function partial(): string {
    finished = true;
    return queue.segments() + ";" + queue.rowsText();
  }

  function describeStalled(error: Error): Record<string, unknown> {
    const out = P.create(null) as Record<string, unknown>;
    out["kind"] = "script";
    out["name"] = "Error";
    out["message"] = error.message;
    out["stack"] = "";
    return out;
  }

  return {
    encode,
    startCall,
    settle,
    run,
    output,
    format,
    drain,
    partial,
    exit(): never {
      exited ||= !finished;
      succeed(undefined, false, false);
      throw EXIT;
    },
    isExit: (thrown: unknown): boolean => thrown === EXIT,
    warn,
    define,
    descriptor,
    fail: (error: unknown) => finish(errorRow(error)),
    isFinished: () => finished,
    configure(made: Values, config: CoreConfig, wake: () => number, storeWrites: () => string) {
      values = made;
      limits = config.limits;
      made.limits.depth = config.limits.depth;
      made.limits.chars = config.limits.valueChars;
      nextWake = wake;
      writes = storeWrites;
    },
  };
}

export type Core = ReturnType<typeof makeCore>;
