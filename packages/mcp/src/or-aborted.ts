/**
 * What `work` gives, or the signal's reason once that is aborted: the SDK tells a request that was aborted as one that
 * timed out (contract B3).
 */
export async function orAborted<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
