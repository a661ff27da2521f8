/** Time and waits of the host, injected so that tests hold them. */
export interface Clock {
  /** Milliseconds, monotonic. */
  now(): number;
  /** Returns how to cancel. `background` waits do not keep the process alive. */
  after(ms: number, run: () => void, background?: boolean): () => void;
  every(ms: number, run: () => void): () => void;
  /** Runs after what is queued now. */
  soon(run: () => void): void;
}
