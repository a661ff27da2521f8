import type { Agenda } from "./agenda.ts";

/** Places of which each serves one at a time, in the order in which they came: processors, slots, sandboxes. */
export class Station {
  readonly places: number;
  readonly #agenda: Agenda;
  readonly #waiting: (() => void)[] = [];
  #head = 0;
  #taken = 0;
  #busyTime = 0;
  #since = 0;

  constructor(agenda: Agenda, places: number) {
    this.#agenda = agenda;
    this.places = places;
    this.#since = agenda.now;
  }

  get free(): number {
    return this.places - this.#taken;
  }

  get waiting(): number {
    return this.#waiting.length - this.#head;
  }

  /** Calls back when a place is held; whoever holds it gives it back. */
  take(then: () => void): void {
    if (this.#taken < this.places) {
      this.#count();
      this.#taken++;
      then();
    } else this.#waiting.push(then);
  }

  give(): void {
    const next = this.#waiting[this.#head];
    if (next === undefined) {
      this.#count();
      this.#taken--;
      return;
    }
    this.#head++;
    if (this.#head > 1_000 && this.#head * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    next();
  }

  serve(duration: number, then: () => void): void {
    this.take(() => {
      this.#agenda.after(duration, () => {
        this.give();
        then();
      });
    });
  }

  /** Time for which places were held, summed over the places. */
  busyTime(): number {
    this.#count();
    return this.#busyTime;
  }

  #count(): void {
    this.#busyTime += this.#taken * (this.#agenda.now - this.#since);
    this.#since = this.#agenda.now;
  }
}
