/** What is due when, the earliest first and in the order of its entry at the same time: a binary heap. */
export class Agenda {
  now = 0;
  readonly #heap: { readonly at: number; readonly order: number; readonly act: () => void }[] = [];
  #order = 0;

  after(delay: number, act: () => void): void {
    const entry = { at: this.now + Math.max(0, delay), order: this.#order++, act };
    const heap = this.#heap;
    let place = heap.length;
    heap.push(entry);
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || isBefore(above, entry)) break;
      heap[place] = above;
      place = parent;
    }
    heap[place] = entry;
  }

  /** Does the next thing; says whether there was one. */
  step(): boolean {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined) return false;
    if (heap.length > 0) {
      let place = 0;
      for (;;) {
        const left = 2 * place + 1;
        const [a, b] = [heap[left], heap[left + 1]];
        if (a === undefined) break;
        const isLeft = b === undefined || isBefore(a, b);
        const smaller = isLeft ? a : b;
        if (isBefore(last, smaller)) break;
        heap[place] = smaller;
        place = isLeft ? left : left + 1;
      }
      heap[place] = last;
    }
    this.now = first.at;
    first.act();
    return true;
  }
}

interface Due {
  readonly at: number;
  readonly order: number;
}

const isBefore = (a: Due, b: Due): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
