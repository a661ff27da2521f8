import { describe, expect, test } from "vitest";
import { createStock } from "../../src/sandbox/stock.ts";

/** A stock of numbers over a clock that the test moves. */
function open(size: number) {
  let waiting: (() => void) | undefined;
  let made = 0;
  let busy = false;
  let full = 0;
  let learnt = 0;
  const ripe = new Set<number>();
  const waits: number[] = [];
  const stock = createStock<number>({
    size,
    make: () => ++made,
    isBusy: () => busy,
    wait(delayMs, run) {
      waits.push(delayMs);
      waiting = run;
      return () => {
        waiting = undefined;
      };
    },
    learn: () => learnt++,
    ripen(next) {
      if (ripe.has(next)) return false;
      ripe.add(next);
      return true;
    },
    whenFull: () => full++,
  });
  /** Lets every wait pass, and those that follow. */
  const rest = (): void => {
    for (let run = waiting; run !== undefined; run = waiting) {
      waiting = undefined;
      run();
    }
  };
  return {
    stock,
    rest,
    made: () => made,
    full: () => full,
    learnt: () => learnt,
    ripe,
    waits,
    run: (value: boolean) => (busy = value),
  };
}

describe("isolates made ahead", () => {
  test("are as many as were asked for, and one is made for each that is taken", () => {
    const { stock, rest, made, full } = open(4);
    expect(made()).toBe(0);
    stock.add();
    stock.refill();
    rest();
    expect([made(), full()]).toEqual([4, 1]);
    stock.refill();
    rest();
    expect([made(), full()]).toEqual([4, 1]);
    expect([stock.take(), stock.take()]).toEqual([1, 2]);
    stock.refill();
    rest();
    expect([made(), full()]).toEqual([6, 1]);
    expect([stock.take(), stock.take(), stock.take(), stock.take(), stock.take()]).toEqual([
      3,
      4,
      5,
      6,
      undefined,
    ]);
  });

  test("are made one after the other with a wait before each, never beside a script", () => {
    const { stock, rest, made, waits, run } = open(3);
    run(true);
    stock.refill();
    rest();
    expect(made()).toBe(0);
    run(false);
    stock.refill();
    rest();
    expect(made()).toBe(3);
    // One wait for the refill beside the script, one to learn, one before each isolate and to ripen the first, two
    // before the rest.
    expect(waits).toEqual([3, 3, 3, 3, 3, 3, 3, 300]);
  });

  test("come after what is learnt once, and the next one to be taken is made readier than the others", () => {
    const { stock, rest, learnt, ripe } = open(3);
    stock.refill();
    rest();
    expect([learnt(), [...ripe]]).toEqual([1, [1]]);
    stock.take();
    stock.refill();
    rest();
    expect([learnt(), [...ripe]]).toEqual([1, [1, 2]]);
  });

  test("none are kept where none are asked for", () => {
    const { stock, rest, made } = open(0);
    stock.refill();
    rest();
    expect([made(), stock.take()]).toEqual([0, undefined]);
  });
});
