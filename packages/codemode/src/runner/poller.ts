/**
 * Looks for an answer a few microseconds longer before it sleeps: two sleeping processes that wake each other cost more
 * than a short look. It backs off where nothing comes, never runs on a single core, and never keeps the event loop
 * waiting for longer than a few turns.
 *
 * A system may put both processes on one core, and a look then keeps away what it looks for. After a look in vain
 * `stepAside` leaves the core for a moment, so that the other side runs and this one is given another core.
 */
export interface PollerOptions {
  /** Reads what is there without waiting: bytes read, 0 at the end, -1 when there is nothing. */
  readonly read: (buffer: Buffer) => number;
  readonly onChunk: (chunk: Buffer) => void;
  /** Whether a frame has begun and not ended. */
  readonly isPartial: () => boolean;
  readonly now: () => number;
  readonly budgetMs: number;
  /** Successful looks in a row before the event loop has its turn. */
  readonly maxInRow: number;
  /** Milliseconds that rests of frames are waited for before the event loop has its turn. */
  readonly maxPartialMs: number;
  /** Leaves the core to others for as short as the system can. Unset: a look in vain ends at once. */
  readonly stepAside?: () => void;
  /** Waits until something is there and reads it, as `read` does; unset: it is left to the event loop. */
  readonly sleep?: ((buffer: Buffer) => number) | undefined;
}

const BUFFER_BYTES = 256 * 1024;
const MAX_SKIPPED = 32;
/** A sleep that ends within this time was worth looking longer: the other side may just have had no core. */
const SHORT_SLEEP_MS = 3;
/** How long the next piece of a frame that has begun is waited for. */
const PARTIAL_MS = 2;
/** How much of that the core is kept: who sends the piece may have no other. */
const KEEP_MS = 0.05;

export class Poller {
  readonly #options: PollerOptions;
  readonly #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #misses = 0;
  #skip = 0;
  #inRow = 0;
  #asideHelps = false;
  #partialMs = 0;

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /** The event loop has had its turn and brought something. */
  rest(): void {
    this.#inRow = 0;
    this.#partialMs = 0;
  }

  /** Whether something came. */
  poll(): boolean {
    if (this.#inRow >= this.#options.maxInRow) return false;
    const looks = this.#skip === 0;
    if (!looks) this.#skip--;
    const seen = looks ? this.#look() : -1;
    if (seen >= 0) return this.#take(seen);
    if (looks || this.#asideHelps) {
      const late = this.#stepAside();
      // Both are on one core: to step aside again is cheaper than another look, and has this side moved in the end.
      this.#asideHelps = late > 0;
      if (late >= 0) return this.#take(late);
    }
    return this.#sleep();
  }

  #look(): number {
    const { read, now, budgetMs } = this.#options;
    const end = now() + budgetMs;
    do {
      const bytes = read(this.#buffer);
      if (bytes > 0) this.#misses = 0;
      if (bytes >= 0) return bytes;
      breathe();
    } while (now() < end);
    this.#skip = Math.min(MAX_SKIPPED, 2 ** ++this.#misses - 2);
    return -1;
  }

  #stepAside(): number {
    const { read, stepAside } = this.#options;
    if (stepAside === undefined) return -1;
    stepAside();
    return read(this.#buffer);
  }

  #sleep(): boolean {
    const { sleep, now } = this.#options;
    if (sleep === undefined) return false;
    const started = now();
    const bytes = sleep(this.#buffer);
    if (now() - started < SHORT_SLEEP_MS) {
      this.#misses = 0;
      this.#skip = 0;
    }
    return this.#take(bytes);
  }

  /** The rest of a frame does not come: who sends it may have no core but this one. */
  #giveWay(): number {
    const { sleep } = this.#options;
    return sleep === undefined ? this.#stepAside() : sleep(this.#buffer);
  }

  #take(bytes: number): boolean {
    if (bytes <= 0) return false;
    this.#inRow++;
    this.#options.onChunk(this.#buffer.subarray(0, bytes));
    this.#readOn();
    return true;
  }

  #readOn(): void {
    const { read, now, maxPartialMs } = this.#options;
    const started = now();
    // The other side may send a byte at a time: its pace is not to be this process's.
    const last = started + maxPartialMs - this.#partialMs;
    for (let since = started; this.#options.isPartial() && now() < Math.min(last, since + PARTIAL_MS);) {
      let bytes = read(this.#buffer);
      if (bytes < 0 && now() > since + KEEP_MS) bytes = this.#giveWay();
      if (bytes === 0) break;
      if (bytes < 0) continue;
      this.#options.onChunk(this.#buffer.subarray(0, bytes));
      since = now();
    }
    this.#partialMs += now() - started;
  }
}

/** About a microsecond in which the other side has what the cores share, where the engine can say so. */
const PAUSES = 15;
const { pause } = Atomics as { readonly pause?: () => void };

function breathe(): void {
  if (pause !== undefined) for (let i = 0; i < PAUSES; i++) pause();
}
