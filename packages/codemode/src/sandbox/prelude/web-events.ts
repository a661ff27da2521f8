import type { AsInterface } from "./web-interface.ts";

/**
 * `DOMException`, `Event`, `CustomEvent`, `EventTarget`, `AbortController` and `AbortSignal`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeEvents(clock: () => number, asInterface: AsInterface) {
  "use strict";
  /** Names of errors by their old numbers, from 1; empty where the web dropped the name. */
  const LEGACY_NAMES =
    "IndexSize,,HierarchyRequest,WrongDocument,InvalidCharacter,,NoModificationAllowed,NotFound,NotSupported,InUseAttribute,InvalidState,Syntax,InvalidModification,Namespace,InvalidAccess,,TypeMismatch,Security,Network,Abort,URLMismatch,QuotaExceeded,Timeout,InvalidNodeType,DataClone";
  const LEGACY_CONSTANTS =
    "INDEX_SIZE,DOMSTRING_SIZE,HIERARCHY_REQUEST,WRONG_DOCUMENT,INVALID_CHARACTER,NO_DATA_ALLOWED,NO_MODIFICATION_ALLOWED,NOT_FOUND,NOT_SUPPORTED,INUSE_ATTRIBUTE,INVALID_STATE,SYNTAX,INVALID_MODIFICATION,NAMESPACE,INVALID_ACCESS,VALIDATION,TYPE_MISMATCH,SECURITY,NETWORK,ABORT,URL_MISMATCH,QUOTA_EXCEEDED,TIMEOUT,INVALID_NODE_TYPE,DATA_CLONE";
  const codes = new Map(LEGACY_NAMES.split(",").map((name, index) => [`${name}Error`, index + 1]));

  // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- unlike String() it refuses symbols
  const text = (value: unknown): string => `${value as string}`;

  class DOMException extends Error {
    constructor(
      message = "",
      options: string | { readonly name?: string; readonly cause?: unknown } = "Error",
    ) {
      super(message);
      const isObject = typeof options === "object" && options !== null;
      const name = isObject ? (options.name ?? "Error") : options;
      Object.defineProperty(this, "name", { value: text(name), configurable: true, writable: true });
      if (isObject && "cause" in options) {
        Object.defineProperty(this, "cause", { value: options.cause, configurable: true, writable: true });
      }
    }

    get code(): number {
      return this.name === "Error" ? 0 : (codes.get(this.name) ?? 0);
    }
  }
  for (const [index, name] of LEGACY_CONSTANTS.split(",").entries()) {
    const constant = { value: index + 1, enumerable: true };
    Object.defineProperty(DOMException, `${name}_ERR`, constant);
    Object.defineProperty(DOMException.prototype, `${name}_ERR`, constant);
  }

  interface EventInit {
    readonly bubbles?: unknown;
    readonly cancelable?: unknown;
    readonly composed?: unknown;
    readonly detail?: unknown;
  }

  /** The settings that a caller gives: nothing is an empty object, and what is neither is refused. */
  function settings<T extends object>(given: T | null | undefined, what: string): Partial<T> {
    if (given === undefined || given === null) return {};
    if (typeof given !== "object" && typeof given !== "function")
      throw new TypeError(`${what} expects an object with its options`);
    return given;
  }

  /** What only the classes below may do to an event. */
  interface Inside {
    readonly begin: (event: Event, target: EventTarget, trusted: boolean) => void;
    readonly passive: (event: Event, is: boolean) => void;
    readonly isStopped: (event: Event) => boolean;
    readonly end: (event: Event) => void;
  }
  let inside: Inside | undefined;

  class Event {
    readonly #type: string;
    readonly #bubbles: boolean;
    readonly #cancelable: boolean;
    readonly #composed: boolean;
    readonly #timeStamp = clock();
    #target: EventTarget | null = null;
    #dispatched = false;
    #trusted = false;
    #passive = false;
    #prevented = false;
    #halted = false;
    #stopped = false;

    constructor(type: string, init?: EventInit) {
      if (arguments.length === 0) throw new TypeError("new Event() expects the type of the event");
      const { bubbles, cancelable, composed } = settings(init, "new Event()");
      this.#type = text(type);
      this.#bubbles = Boolean(bubbles);
      this.#cancelable = Boolean(cancelable);
      this.#composed = Boolean(composed);
    }

    get type(): string {
      return this.#type;
    }

    get bubbles(): boolean {
      return this.#bubbles;
    }

    get cancelable(): boolean {
      return this.#cancelable;
    }

    get composed(): boolean {
      return this.#composed;
    }

    get timeStamp(): number {
      return this.#timeStamp;
    }

    get isTrusted(): boolean {
      return this.#trusted;
    }

    get target(): EventTarget | null {
      return this.#target;
    }

    get srcElement(): EventTarget | null {
      return this.#target;
    }

    get currentTarget(): EventTarget | null {
      return this.#dispatched ? this.#target : null;
    }

    get eventPhase(): number {
      return this.#dispatched ? 2 : 0;
    }

    composedPath(): EventTarget[] {
      return this.#dispatched && this.#target !== null ? [this.#target] : [];
    }

    get defaultPrevented(): boolean {
      return this.#prevented;
    }

    get returnValue(): boolean {
      return !this.#prevented;
    }

    set returnValue(value: unknown) {
      if (!value) this.preventDefault();
    }

    preventDefault(): void {
      if (this.#cancelable && !this.#passive) this.#prevented = true;
    }

    get cancelBubble(): boolean {
      return this.#halted;
    }

    set cancelBubble(value: unknown) {
      if (value) this.#halted = true;
    }

    stopPropagation(): void {
      this.#halted = true;
    }

    stopImmediatePropagation(): void {
      this.#halted = true;
      this.#stopped = true;
    }

    static {
      inside = {
        begin(event, target, trusted) {
          if (typeof event !== "object" || event === null || !(#type in event))
            throw new TypeError("dispatchEvent() expects an Event");
          if (event.#dispatched)
            throw new DOMException("The event is being dispatched already", "InvalidStateError");
          event.#dispatched = true;
          event.#target = target;
          event.#trusted = trusted;
        },
        passive(event, is) {
          event.#passive = is;
        },
        isStopped: (event) => event.#stopped,
        end(event) {
          event.#dispatched = false;
          event.#halted = false;
          event.#stopped = false;
        },
      };
    }
  }
  for (const [index, name] of ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"].entries()) {
    const constant = { value: index, enumerable: true };
    Object.defineProperty(Event, name, constant);
    Object.defineProperty(Event.prototype, name, constant);
  }

  class CustomEvent extends Event {
    readonly #detail: unknown;

    constructor(type: string, init?: EventInit) {
      if (arguments.length === 0) throw new TypeError("new CustomEvent() expects the type of the event");
      super(type, init);
      this.#detail = settings(init, "new CustomEvent()").detail ?? null;
    }

    get detail(): unknown {
      return this.#detail;
    }
  }

  type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };
  interface ListenerOptions {
    readonly once?: unknown;
    readonly capture?: unknown;
    readonly passive?: unknown;
    readonly signal?: unknown;
  }
  interface Registration {
    readonly listener: Listener;
    readonly once: boolean;
    readonly capture: boolean;
    readonly passive: boolean;
    removed: boolean;
  }

  const optionsOf = (given: unknown): ListenerOptions =>
    (typeof given === "object" || typeof given === "function") && given !== null ? given : { capture: given };

  function listenerOf(value: unknown, method: string): Listener | undefined {
    if (value === null || value === undefined) return undefined;
    if (typeof value !== "function" && typeof value !== "object")
      throw new TypeError(`${method}() expects a function or an object with handleEvent() as the listener`);
    return value as Listener;
  }

  /** Tells the listeners of a target; `trusted` events are not the script's own. */
  let fire: ((target: EventTarget, event: Event, trusted: boolean) => boolean) | undefined;

  class EventTarget {
    readonly #listeners = new Map<string, Registration[]>();

    addEventListener(type: unknown, listener: unknown, options?: unknown): void {
      if (arguments.length < 2) throw new TypeError("addEventListener() expects a type and a listener");
      const { once, capture, passive, signal } = optionsOf(options);
      if (signal !== undefined && !isSignal(signal))
        throw new TypeError("The signal of addEventListener() must be an AbortSignal");
      const known = listenerOf(listener, "addEventListener");
      if (known === undefined || signal?.aborted === true) return;
      const name = text(type);
      const list = this.#listeners.get(name) ?? [];
      const isCapture = Boolean(capture);
      if (list.some((other) => other.listener === known && other.capture === isCapture)) return;
      list.push({
        listener: known,
        once: Boolean(once),
        capture: isCapture,
        passive: Boolean(passive),
        removed: false,
      });
      this.#listeners.set(name, list);
      signal?.addEventListener("abort", () => this.#remove(name, known, isCapture), { once: true });
    }

    removeEventListener(type: unknown, listener: unknown, options?: unknown): void {
      if (arguments.length < 2) throw new TypeError("removeEventListener() expects a type and a listener");
      const capture = Boolean(optionsOf(options).capture);
      this.#remove(text(type), listenerOf(listener, "removeEventListener"), capture);
    }

    #remove(type: string, listener: Listener | undefined, capture: boolean): void {
      const list = this.#listeners.get(type);
      const index =
        list?.findIndex((other) => other.listener === listener && other.capture === capture) ?? -1;
      if (list === undefined || index === -1) return;
      for (const removed of list.splice(index, 1)) removed.removed = true;
    }

    dispatchEvent(event: Event): boolean {
      return this.#fire(event, false);
    }

    #fire(event: Event, trusted: boolean): boolean {
      const { begin, passive, isStopped, end } = inside as Inside;
      begin(event, this, trusted);
      try {
        for (const registration of (this.#listeners.get(event.type) ?? []).slice()) {
          if (registration.removed) continue;
          const { listener } = registration;
          if (registration.once) this.#remove(event.type, listener, registration.capture);
          passive(event, registration.passive);
          try {
            if (typeof listener === "function") listener.call(this, event);
            else listener.handleEvent(event);
          } catch (error) {
            // As on the web: a listener's failure is reported, and the others are still told.
            queueMicrotask(() => {
              throw error;
            });
          }
          passive(event, false);
          if (isStopped(event)) break;
        }
      } finally {
        end(event);
      }
      return !event.defaultPrevented;
    }

    static {
      fire = (target, event, trusted) => target.#fire(event, trusted);
    }
  }

  const MADE = Symbol("made here");
  let isSignal: (value: unknown) => value is AbortSignal;
  let abortSignal: ((signal: AbortSignal, reason: unknown) => void) | undefined;

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason: unknown;
    #handler: ((event: Event) => unknown) | null = null;
    /** What `onabort` is registered with, once it was set: it keeps its place among the listeners. */
    #handling: ((event: Event) => unknown) | undefined;
    /** Signals that this one is made of, none of them made of others. */
    readonly #sources = new Set<AbortSignal>();
    readonly #dependents = new Set<AbortSignal>();

    constructor(key?: symbol) {
      if (key !== MADE) throw new TypeError("Illegal constructor");
      super();
    }

    static {
      isSignal = (value): value is AbortSignal =>
        typeof value === "object" && value !== null && #aborted in value;
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        const why =
          reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        const told = [signal, ...[...signal.#dependents].filter((dependent) => !dependent.#aborted)];
        signal.#dependents.clear();
        // All of them are aborted before the first listener looks at one.
        for (const one of told) {
          one.#aborted = true;
          one.#reason = why;
          for (const source of one.#sources) source.#dependents.delete(one);
          one.#sources.clear();
        }
        for (const one of told) fire?.(one, new Event("abort"), true);
      };
    }

    get aborted(): boolean {
      return this.#aborted;
    }

    get reason(): unknown {
      return this.#reason;
    }

    get onabort(): ((event: Event) => unknown) | null {
      return this.#handler;
    }

    set onabort(value: unknown) {
      this.#handler = typeof value === "function" ? (value as (event: Event) => unknown) : null;
      if (this.#handler === null) {
        if (this.#handling !== undefined) this.removeEventListener("abort", this.#handling);
        this.#handling = undefined;
      } else if (this.#handling === undefined) {
        this.#handling = (event) => this.#handler?.call(this, event);
        this.addEventListener("abort", this.#handling);
      }
    }

    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason;
    }

    static abort(reason?: unknown): AbortSignal {
      const signal = new AbortSignal(MADE);
      abortSignal?.(signal, reason);
      return signal;
    }

    static timeout(ms: number): AbortSignal {
      if (typeof ms !== "number")
        throw new TypeError("AbortSignal.timeout() expects a number of milliseconds");
      if (!(ms >= 0 && ms <= Number.MAX_SAFE_INTEGER))
        throw new RangeError("AbortSignal.timeout() expects from 0 to 2 ** 53 - 1 milliseconds");
      const signal = new AbortSignal(MADE);
      setTimeout(
        () => abortSignal?.(signal, new DOMException("The operation timed out", "TimeoutError")),
        ms,
      );
      return signal;
    }

    static any(signals: Iterable<AbortSignal>): AbortSignal {
      const given = [...signals];
      if (!given.every((signal) => isSignal(signal)))
        throw new TypeError("AbortSignal.any() expects AbortSignals only");
      const aborted = given.find((signal) => signal.#aborted);
      if (aborted !== undefined) return AbortSignal.abort(aborted.#reason);
      const combined = new AbortSignal(MADE);
      for (const signal of given) {
        for (const source of signal.#sources.size > 0 ? signal.#sources : [signal]) {
          combined.#sources.add(source);
          source.#dependents.add(combined);
        }
      }
      return combined;
    }
  }

  class AbortController {
    readonly #signal = new AbortSignal(MADE);

    get signal(): AbortSignal {
      return this.#signal;
    }

    abort(reason?: unknown): void {
      abortSignal?.(this.#signal, reason);
    }
  }

  const made = { DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController };
  asInterface(made);
  return made;
}
