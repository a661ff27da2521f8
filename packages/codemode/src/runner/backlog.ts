/** Bytes of answers that are sent before the sandbox has reported the turns that those before it began. */
const MAX_SENT_BYTES = 32 * 1024 * 1024;

/**
 * Answers that a script has not taken, in bytes: sent ahead to a sandbox that is still busy, and held here. Without it a
 * script that computes while its calls are answered would fill this process.
 */
export class Backlog {
  readonly #maxHeldBytes: number;
  /** Of every turn that was begun and not yet reported. */
  readonly #sent: number[] = [];
  #sentBytes = 0;
  #heldBytes = 0;

  constructor(maxHeldBytes: number) {
    this.#maxHeldBytes = maxHeldBytes;
  }

  /** Whether what is ready must wait for the sandbox. */
  get isFull(): boolean {
    return this.#sentBytes > MAX_SENT_BYTES;
  }

  /** An answer is ready; the bytes of all that wait where they are more than the limit. */
  hold(bytes: number): number | undefined {
    this.#heldBytes += bytes;
    return this.#heldBytes > this.#maxHeldBytes ? this.#heldBytes : undefined;
  }

  /** A turn is begun with some of what was held; `left` bytes are held on. */
  begin(left: number): void {
    const bytes = this.#heldBytes - left;
    this.#heldBytes = left;
    this.#sent.push(bytes);
    this.#sentBytes += bytes;
  }

  /** The oldest turn is reported, so that its answers are read; whether there is room again for what had to wait. */
  reported(): boolean {
    const wasFull = this.isFull;
    this.#sentBytes -= this.#sent.shift() ?? 0;
    return wasFull && !this.isFull && this.#heldBytes > 0;
  }
}
