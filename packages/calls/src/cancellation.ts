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

/**
 * Children are reached through a set, not through listeners on the parent's signal: a parent with 10,000 calls keeps
 * no listener, and a released child leaves nothing behind. A given signal is listened to and never replaced.
 */
export function createCancellation(given?: AbortSignal, detach: () => void = () => {}): Cancellation {
  const controller = new AbortController();
  const children = new Set<Cancellation>();
  const listeners = new Set<() => void>();

  const abort = (reason: unknown): void => {
    if (controller.signal.aborted) return;
    controller.abort(reason);
    for (const listener of listeners) listener();
    listeners.clear();
    for (const child of children) child.abort(reason);
  };

  const onGiven = (): void => abort(given?.reason);
  if (given?.aborted === true) abort(given.reason);
  else given?.addEventListener("abort", onGiven, { once: true });

  return {
    signal: controller.signal,
    get aborted() {
      return controller.signal.aborted;
    },
    abort,
    onAbort(listener) {
      if (controller.signal.aborted) {
        listener();
        return () => {};
      }
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    child(signal) {
      const child: Cancellation = createCancellation(signal, () => children.delete(child));
      children.add(child);
      if (controller.signal.aborted) child.abort(controller.signal.reason);
      return child;
    },
    release() {
      given?.removeEventListener("abort", onGiven);
      listeners.clear();
      detach();
    },
  };
}

/** An `AbortError` with the given message, as platform functions reject with. */
export function cancelled(message: string): DOMException {
  return new DOMException(message, "AbortError");
}
