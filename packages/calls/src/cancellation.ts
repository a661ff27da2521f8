/** The abort chain of one call: its parent's, the signal it was given, and its own. */
export interface Cancellation {
  readonly signal: AbortSignal;
  readonly aborted: boolean;
  abort(reason: unknown): void;
  /** Calls `listener` once, at once when already aborted. Returns how to take it back. */
  onAbort(listener: () => void): () => void;
  /** A cancellation that is aborted with this one, or by `signal`. Has to be released. */
  child(signal?: AbortSignal): Cancellation;
  /** Lets go of the parent and of the given signal. */
  release(): void;
}

/** The root of an abort chain. */
export function createCancellation(given?: AbortSignal): Cancellation {
  return new Link(undefined, given);
}

/**
 * Children are reached through a set, not through listeners on the parent's signal: a parent with 10,000 calls keeps
 * no listener, and a released child leaves nothing behind. A given signal is listened to and never replaced. Every
 * call has one of these, so what few calls need (the sets) is made when it is needed.
 */
class Link implements Cancellation {
  readonly #parent: Link | undefined;
  readonly #given: AbortSignal | undefined;
  readonly #controller = new AbortController();
  #children: Set<Link> | undefined;
  #listeners: Set<() => void> | undefined;
  #onGiven: (() => void) | undefined;

  constructor(parent: Link | undefined, given: AbortSignal | undefined) {
    this.#parent = parent;
    this.#given = given;
    if (given === undefined) return;
    try {
      if (given.aborted) {
        this.abort(given.reason);
        return;
      }
      this.#onGiven = () => this.abort(given.reason);
      given.addEventListener("abort", this.#onGiven, { once: true });
    } catch {
      // Not a signal, although it looked like one: there is nothing to listen to.
      this.#onGiven = undefined;
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.#controller.abort(reason);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
    for (const child of this.#children ?? []) child.abort(reason);
  }

  onAbort(listener: () => void): () => void {
    if (this.aborted) {
      listener();
      return () => {};
    }
    (this.#listeners ??= new Set()).add(listener);
    return () => this.#listeners?.delete(listener);
  }

  child(signal?: AbortSignal): Cancellation {
    const child = new Link(this, signal);
    (this.#children ??= new Set()).add(child);
    if (this.aborted) child.abort(this.signal.reason);
    return child;
  }

  release(): void {
    try {
      if (this.#onGiven !== undefined) this.#given?.removeEventListener("abort", this.#onGiven);
    } catch {
      // As above.
    }
    if (this.#parent !== undefined) this.#parent.#children?.delete(this);
  }
}

/** An `AbortError` with the given message, as platform functions reject with. */
export function cancelled(message: string): DOMException {
  return new DOMException(message, "AbortError");
}
