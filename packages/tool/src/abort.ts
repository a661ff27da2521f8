/** What a cancelled `execute` rejects with (contract B3): an error named `AbortError`, with the signal's reason as cause. */
export function abortError(signal?: AbortSignal): Error {
  const reason: unknown = signal?.reason;
  if (reason instanceof Error && reason.name === "AbortError") return reason;
  const error = new DOMException("The operation was aborted", "AbortError");
  if (reason !== undefined) Object.defineProperty(error, "cause", { value: reason, configurable: true });
  return error;
}

/** Rejects between two stages when the signal is aborted (contract B3). Throws an `AbortError`. */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortError(signal);
}

/** Whether an error says that a call was cancelled. */
export function isAbortError(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}
