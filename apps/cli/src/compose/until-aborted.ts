/** The command was told to end before it had begun with its work. `tellFailure` knows it by its code. */
export class InterruptedError extends Error {
  override readonly name = "AbortError";
  readonly code = "aborted";
}

/**
 * Waits for what cannot be stopped (a module that loads, a keyboard that is read) no longer than the command is to live.
 * Rejects with {@link InterruptedError} then; what comes of `work` afterwards is nobody's.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = Promise.withResolvers<never>();
  const stop = (): void => {
    const { reason } = signal as { readonly reason: unknown };
    over.reject(new InterruptedError(reason instanceof Error ? reason.message : "interrupted"));
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([over.promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => undefined);
  }
}
