import type { DurableClock } from "@nestbox/codemode/durable";
import { RestateError } from "./errors.ts";
import { isRecord } from "./guards.ts";
import type { Ingress } from "./ingress.ts";
import {
  type ClaimAnswer,
  type Entry,
  PAGE,
  readClaim,
  readEntries,
  unreadable,
  type WriteRequest,
} from "./protocol.ts";
import type { Sealed } from "./seal.ts";

/** Up to so many places, the state of a run goes along with a write, which then needs not ask for it. */
const EAGER_PLACES = 32;

interface Pending {
  readonly place: number;
  readonly entry: Entry;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One claim of a run: the entries that were there when it was claimed, and those written since. Nobody else can write
 * while it holds, so that what is read once need not be asked for again.
 */
export class HeldRun {
  readonly epoch: number;
  /** What was woken when it was claimed, if that was little enough to be told. */
  readonly woken: Readonly<Record<string, Sealed>> | undefined;
  readonly claimedAt: number;
  readonly #runId: string;
  readonly #path: string;
  readonly #ingress: Ingress;
  readonly #places = new Map<string, { readonly place: number; readonly entry: Entry }>();
  readonly #pending: Pending[] = [];
  #count: number;
  #writing = false;
  #lost = false;
  #broken = false;

  private constructor(runId: string, path: string, ingress: Ingress, answer: ClaimAnswer, now: number) {
    this.#runId = runId;
    this.#path = path;
    this.#ingress = ingress;
    this.#count = answer.count;
    this.epoch = answer.epoch;
    this.woken = answer.woken;
    this.claimedAt = now;
  }

  static async claim(runId: string, path: string, ingress: Ingress, clock: DurableClock): Promise<HeldRun> {
    const now = clock.now();
    const answer = readClaim(await ingress.call(`${path}/claim`, { token: crypto.randomUUID() }));
    const held = new HeldRun(runId, path, ingress, answer, now);
    let place = 0;
    const take = (entries: readonly Entry[]): void => {
      for (const entry of entries) held.#remember(place++, entry);
    };
    take(answer.entries);
    while (place < answer.count) {
      const page = readEntries(await ingress.call(`${path}/read`, place));
      if (page.length === 0) return unreadable("journal");
      take(page);
    }
    return held;
  }

  get size(): number {
    return this.#places.size;
  }

  get lost(): boolean {
    return this.#lost;
  }

  /** A write has failed, and whether it was kept is not known: what is there must be read again. */
  get broken(): boolean {
    return this.#broken;
  }

  entry(key: string): Entry | undefined {
    return this.#places.get(key)?.entry;
  }

  /** Resolves when it is kept. What is written while another write is under way goes together. */
  async write(entry: Entry): Promise<void> {
    this.check();
    const place = this.#places.get(entry.key)?.place ?? this.#count++;
    this.#remember(place, entry);
    await new Promise<void>((resolve, reject) => {
      this.#pending.push({ place, entry, resolve, reject });
      if (!this.#writing) void this.#send();
    });
  }

  check(): void {
    if (this.#lost) throw new RestateError("lost", `Another process has taken the run ${this.#runId} over`);
  }

  #remember(place: number, entry: Entry): void {
    // A place that was given up stays empty: places are never used for another key.
    if (entry.state === "dropped") this.#places.delete(entry.key);
    else this.#places.set(entry.key, { place, entry });
  }

  async #send(): Promise<void> {
    this.#writing = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, PAGE);
      const request: WriteRequest = {
        epoch: this.epoch,
        entries: batch.map(({ place, entry }) => [place, entry]),
      };
      try {
        const handler = this.#count > EAGER_PLACES ? "append" : "write";
        const answer = await this.#ingress.call(`${this.#path}/${handler}`, request);
        if (!isRecord(answer) || (answer["kind"] !== "kept" && answer["kind"] !== "lost"))
          unreadable("answer to a write");
        if (isRecord(answer) && answer["kind"] === "lost") this.#lost = true;
        this.check();
        for (const one of batch) one.resolve();
      } catch (error) {
        this.#broken = true;
        for (const one of [...batch, ...this.#pending.splice(0)]) one.reject(error);
      }
    }
    this.#writing = false;
  }
}
