import type { Cancellation } from "./cancellation.ts";

export type Raced<T> = { readonly aborted: false; readonly value: T } | { readonly aborted: true };

/** Waits for `work` or for the cancellation. A rejection that comes after the cancellation is swallowed. */
export function untilAborted<T>(work: Promise<T>, cancellation: Cancellation): Promise<Raced<T>> {
  return new Promise((resolve, reject) => {
    const stopListening = cancellation.onAbort(() => resolve({ aborted: true }));
    work.then(
      (value) => {
        stopListening();
        resolve({ aborted: false, value });
      },
      (error: unknown) => {
        stopListening();
        reject(error);
      },
    );
  });
}
