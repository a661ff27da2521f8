/**
 * `DOMException`, `Event`, `CustomEvent`, `EventTarget`, `AbortController` and `AbortSignal`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeEvents(clock: () => number) {
  "use strict";
  /** Names of errors by their old numbers, from 1; empty where the web dropped the name. */
  const LEGACY_NAMES =
    "IndexSize,,HierarchyRequest,WrongDocument,InvalidCharacter,,NoModificationAllowed,NotFound,NotSupported,InUseAttribute,InvalidState,Syntax,InvalidModification,Namespace,InvalidAccess,,TypeMismatch,Security,Network,Abort,URLMismatch,QuotaExceeded,Timeout,InvalidNodeType,DataClone";
  const LEGACY_CONSTANTS =
    "INDEX_SIZE,DOMSTRING_SIZE,HIERARCHY_REQUEST,WRONG_DOCUMENT,INVALID_CHARACTER,NO_DATA_ALLOWED,NO_MODIFICATION_ALLOWED,NOT_FOUND,NOT_SUPPORTED,INUSE_ATTRIBUTE,INVALID_STATE,SYNTAX,INVALID_MODIFICATION,NAMESPACE,INVALID_ACCESS,VALIDATION,TYPE_MISMATCH,SECURITY,NETWORK,ABORT,URL_MISMATCH,QUOTA_EXCEEDED,TIMEOUT,INVALID_NODE_TYPE,DATA_CLONE";
  const codes = new Map(LEGACY_NAMES.split(",").map((name, index) => [`${name}Error`, index + 1]));

  class DOMException extends Error {
    constructor(
      message = "",
      options: string | { readonly name?: string; readonly cause?: unknown } = "Error",
    ) {
      super(message);
      const name = typeof options === "string" ? options : (options.name ?? "Error");
      Object.defineProperty(this, "name", { value: name, configurable: true, writable: true });
      if (typeof options === "object" && "cause" in options) {
        Object.defineProperty(this, "cause", { value: options.cause, configurable: true, writable: true });
      }
    }

    get code(): number {
      return this.name === "Error" ? 0 : (codes.get(this.name) ?? 0);
    }

    get [Symbol.toStringTag](): string {
      return "DOMException";
    }
  }
  for (const [index, name] of LEGACY_CONSTANTS.split(",").entries()) {
    const constant = { value: index + 1, enumerable: true };
    Object.defineProperty(DOMException, `${name}_ERR`, constant);
    Object.defineProperty(DOMException.prototype, `${name}_ERR`, constant);
  }

  let begin: ((event: Event, target: EventTarget) => void) | undefined;
  let isStopped: ((event: Event) => boolean) | undefined;

  class Event {
    readonly type: string;
    readonly bubbles: boolean;
    readonly cancelable: boolean;
    readonly timeStamp: number;
    #target: EventTarget | null = null;
    #prevented = false;
    #stopped = false;

    constructor(type: string, init: { readonly bubbles?: boolean; readonly cancelable?: boolean } = {}) {
      this.type = type;
      this.bubbles = init.bubbles === true;
      this.cancelable = init.cancelable === true;
      this.timeStamp = clock();
    }

    get target(): EventTarget | null {
      return this.#target;
    }

    get currentTarget(): EventTarget | null {
      return this.#target;
    }

    get defaultPrevented(): boolean {
      return this.#prevented;
    }

    preventDefault(): void {
      if (this.cancelable) this.#prevented = true;
    }

    stopPropagation(): void {}

    stopImmediatePropagation(): void {
      this.#stopped = true;
    }

    static {
      begin = (event, target) => {
        event.#target = target;
        event.#stopped = false;
      };
      isStopped = (event) => event.#stopped;
    }
  }

  class CustomEvent extends Event {
    readonly detail: unknown;

    constructor(
      type: string,
      init: { readonly detail?: unknown; readonly bubbles?: boolean; readonly cancelable?: boolean } = {},
    ) {
      super(type, init);
      this.detail = init.detail ?? null;
    }
  }

  type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown };
  interface Registration {
    readonly listener: Listener;
    readonly once: boolean;
    readonly capture: boolean;
    removed: boolean;
  }

  class EventTarget {
    readonly #listeners = new Map<string, Registration[]>();

    addEventListener(
      type: string,
      listener: Listener | null,
      options?:
        | boolean
        | { readonly once?: boolean; readonly capture?: boolean; readonly signal?: AbortSignal },
    ): void {
      if (listener === null || listener === undefined) return;
      const settings =
        typeof options === "object" && options !== null ? options : { capture: options === true };
      const capture = settings.capture === true;
      if (settings.signal?.aborted === true) return;
      const list = this.#listeners.get(type) ?? [];
      if (list.some((other) => other.listener === listener && other.capture === capture)) return;
      list.push({ listener, once: settings.once === true, capture, removed: false });
      this.#listeners.set(type, list);
      settings.signal?.addEventListener(
        "abort",
        () => this.removeEventListener(type, listener, { capture }),
        { once: true },
      );
    }

    removeEventListener(
      type: string,
      listener: Listener | null,
      options?: boolean | { readonly capture?: boolean },
    ): void {
      const capture =
        typeof options === "object" && options !== null ? options.capture === true : options === true;
      const list = this.#listeners.get(type);
      const index =
        list?.findIndex((other) => other.listener === listener && other.capture === capture) ?? -1;
      if (list === undefined || index === -1) return;
      for (const removed of list.splice(index, 1)) removed.removed = true;
    }

    dispatchEvent(event: Event): boolean {
      begin?.(event, this);
      for (const registration of (this.#listeners.get(event.type) ?? []).slice()) {
        if (registration.removed) continue;
        const { listener } = registration;
        if (registration.once)
          this.removeEventListener(event.type, listener, { capture: registration.capture });
        try {
          if (typeof listener === "function") listener.call(this, event);
          else listener.handleEvent(event);
        } catch (error) {
          // As on the web: a listener's failure is reported, and the others are still told.
          queueMicrotask(() => {
            throw error;
          });
        }
        if (isStopped?.(event) === true) break;
      }
      return !event.defaultPrevented;
    }
  }

  let makeSignal: (() => AbortSignal) | undefined;
  let abortSignal: ((signal: AbortSignal, reason: unknown) => void) | undefined;
  let allowed = false;

  class AbortSignal extends EventTarget {
    onabort: ((event: Event) => unknown) | null = null;
    #aborted = false;
    #reason: unknown;

    constructor() {
      if (!allowed) throw new TypeError("Illegal constructor");
      super();
    }

    static {
      makeSignal = () => {
        allowed = true;
        try {
          return new AbortSignal();
        } finally {
          allowed = false;
        }
      };
      abortSignal = (signal, reason) => {
        if (signal.#aborted) return;
        signal.#aborted = true;
        signal.#reason =
          reason === undefined ? new DOMException("This operation was aborted", "AbortError") : reason;
        const event = new Event("abort");
        signal.onabort?.(event);
        signal.dispatchEvent(event);
      };
    }

    get aborted(): boolean {
      return this.#aborted;
    }

    get reason(): unknown {
      return this.#reason;
    }

    throwIfAborted(): void {
      if (this.#aborted) throw this.#reason;
    }

    static abort(reason?: unknown): AbortSignal {
      const signal = makeSignal?.() as AbortSignal;
      abortSignal?.(signal, reason);
      return signal;
    }

    static timeout(ms: number): AbortSignal {
      const signal = makeSignal?.() as AbortSignal;
      setTimeout(
        () => abortSignal?.(signal, new DOMException("The operation timed out", "TimeoutError")),
        ms,
      );
      return signal;
    }

    static any(signals: Iterable<AbortSignal>): AbortSignal {
      const combined = makeSignal?.() as AbortSignal;
      for (const signal of signals) {
        if (signal.aborted) {
          abortSignal?.(combined, signal.reason);
          break;
        }
        signal.addEventListener("abort", () => abortSignal?.(combined, signal.reason), { once: true });
      }
      return combined;
    }
  }

  class AbortController {
    readonly signal: AbortSignal = makeSignal?.() as AbortSignal;

    abort(reason?: unknown): void {
      abortSignal?.(this.signal, reason);
    }
  }

  return { DOMException, Event, CustomEvent, EventTarget, AbortSignal, AbortController };
}
