import { describe, expect, test } from "vitest";
import { Poller } from "../../src/runner/poller.ts";

/** A pipe that answers as it is told: a text, nothing (-1) or the end (0). */
function open(
  script: readonly (string | -1 | 0)[],
  options: {
    readonly maxInRow?: number;
    readonly partial?: () => boolean;
    readonly maxPartialMs?: number;
    /** What is there after others have had the core. */
    readonly aside?: readonly (string | -1)[];
    /** What wakes a sleep. */
    readonly asleep?: readonly (string | -1 | 0)[];
    readonly sleepMs?: number;
  } = {},
) {
  const left = [...script];
  const aside = [...(options.aside ?? [])];
  const asleep = [...(options.asleep ?? [])];
  let sleeps = 0;
  let asides = 0;
  const chunks: string[] = [];
  let now = 0;
  let reads = 0;
  const poller = new Poller({
    read(buffer) {
      reads++;
      now += 0.03;
      const next = left.shift() ?? -1;
      return typeof next === "string" ? buffer.write(next) : next;
    },
    onChunk: (chunk) => chunks.push(chunk.toString()),
    isPartial: options.partial ?? (() => false),
    now: () => now,
    budgetMs: 0.1,
    maxInRow: options.maxInRow ?? 100,
    maxPartialMs: options.maxPartialMs ?? 100,
    ...(options.aside === undefined
      ? {}
      : {
          stepAside() {
            asides++;
            left.unshift(aside.shift() ?? -1);
          },
        }),
    ...(options.asleep === undefined
      ? {}
      : {
          sleep(buffer: Buffer) {
            sleeps++;
            now += options.sleepMs ?? 0.5;
            const next = asleep.shift() ?? -1;
            return typeof next === "string" ? buffer.write(next) : next;
          },
        }),
  });
  return { poller, chunks, reads: () => reads, asides: () => asides, sleeps: () => sleeps };
}

describe("the poller", () => {
  test("takes what comes in time, and leaves the end to the event loop", () => {
    const { poller, chunks } = open([-1, "a", 0]);
    expect([poller.poll(), poller.poll()]).toEqual([true, false]);
    expect(chunks).toEqual(["a"]);
  });

  test("backs off where nothing comes, up to a bound", () => {
    const { poller, reads } = open([]);
    for (let i = 0; i < 1_000; i++) poller.poll();
    expect(reads()).toBeLessThan(300);
    expect(reads()).toBeGreaterThan(50);
  });

  test("leaves the core to the other side after a look in vain, and takes what came of it", () => {
    const { poller, chunks, asides } = open([], { aside: ["a", -1] });
    expect([poller.poll(), poller.poll()]).toEqual([true, false]);
    expect(chunks).toEqual(["a"]);
    expect(asides()).toBe(2);
  });

  test("steps aside without a look where only that brings something: both are on one core", () => {
    const { poller, asides, reads } = open([], {
      aside: Array<string>(1_000).fill("a"),
      maxInRow: 1_000,
    });
    for (let i = 0; i < 1_000; i++) expect(poller.poll()).toBe(true);
    expect(asides()).toBe(1_000);
    // One read each time, and those of some forty looks.
    expect(reads()).toBeLessThan(1_200);
  });

  test("stops stepping aside between looks as soon as it was in vain", () => {
    const { poller, asides } = open([], { aside: ["a", "b", "c"] });
    for (let i = 0; i < 1_000; i++) poller.poll();
    expect(asides()).toBeLessThan(60);
  });

  test("looks every time where a look finds something", () => {
    const { poller, asides } = open(Array<string>(50).fill("a"), { aside: [] });
    for (let i = 0; i < 50; i++) expect(poller.poll()).toBe(true);
    expect(asides()).toBe(0);
  });

  test("sleeps after a look in vain, and looks again where the sleep was short", () => {
    const { poller, chunks, sleeps, reads } = open([], { asleep: ["a", "b", "c", "d", "e", "f", 0] });
    for (let i = 0; i < 6; i++) expect(poller.poll()).toBe(true);
    expect(poller.poll()).toBe(false);
    expect(chunks.join("")).toBe("abcdef");
    expect(sleeps()).toBe(7);
    expect(reads()).toBe(7 * 4);
  });

  test("sleeps instead of most looks where every sleep is long", () => {
    const asleep = Array<string>(40).fill("a");
    const { poller, sleeps, reads } = open([], { asleep, sleepMs: 20 });
    for (let i = 0; i < 40; i++) expect(poller.poll()).toBe(true);
    expect(sleeps()).toBe(40);
    expect(reads()).toBeLessThan(5 * 4 + 1);
  });

  test("gives the event loop its turn", () => {
    const { poller, chunks } = open(["a", "b", "c"], { maxInRow: 2 });
    expect([poller.poll(), poller.poll(), poller.poll()]).toEqual([true, true, false]);
    poller.rest();
    expect(poller.poll()).toBe(true);
    expect(chunks).toEqual(["a", "b", "c"]);
  });

  test("reads on while a frame is not whole, and gives up when the rest does not come", () => {
    const whole = open(["a", -1, "b"], { partial: () => whole.chunks.length < 2 });
    expect(whole.poller.poll()).toBe(true);
    expect(whole.chunks).toEqual(["a", "b"]);
    const cut = open(["a"], { partial: () => true });
    expect(cut.poller.poll()).toBe(true);
    expect(cut.chunks).toEqual(["a"]);
  });

  test("gives the core away while the rest of a frame does not come", () => {
    const nothing = Array<-1>(4).fill(-1);
    const stepping = open(["a", ...nothing], {
      partial: () => stepping.chunks.length < 2,
      aside: ["b"],
    });
    expect(stepping.poller.poll()).toBe(true);
    expect([stepping.chunks, stepping.asides()]).toEqual([["a", "b"], 1]);
    const sleeping = open(["a", ...nothing], {
      partial: () => sleeping.chunks.length < 2,
      asleep: ["b"],
    });
    expect(sleeping.poller.poll()).toBe(true);
    expect([sleeping.chunks, sleeping.sleeps()]).toEqual([["a", "b"], 1]);
  });

  test("hostile 7: reads on for so long in all, however small the pieces, until the event loop has had its turn", () => {
    const slow = open(Array<string>(1_000).fill("a"), {
      partial: () => true,
      maxPartialMs: 3,
      maxInRow: 1_000,
    });
    expect(slow.poller.poll()).toBe(true);
    const first = slow.chunks.length;
    expect(first).toBeGreaterThan(50);
    expect(first).toBeLessThan(150);
    expect(slow.poller.poll()).toBe(true);
    expect(slow.chunks.length).toBeLessThan(first + 10);
    slow.poller.rest();
    slow.poller.poll();
    expect(slow.chunks.length).toBeGreaterThan(first + 50);
  });
});
