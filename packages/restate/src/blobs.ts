/**
 * Where values stand that are too large for a message of the server. The journal has their hash, and every process
 * that carries runs on must reach the same store.
 */
export interface BlobStore {
  /** Resolves when the text is there for good. The same text again is no error. */
  put(runId: string, sha256: string, text: string): Promise<void>;
  get(runId: string, sha256: string): Promise<string | undefined>;
  /** Removes all that a run has. */
  remove(runId: string): Promise<void>;
}
