import { describe, expect, test } from "vitest";
import { Poller } from "../../src/runner/poller.ts";

/** A pipe that answers as it is told: a text, nothing (-1) or the end (0). */
function open(
  script: readonly (string | -1 | 0)[],
  options: {
    readonly maxInRow?: number;
    readonly partial?: () => boolean;
    readonly maxPartialMs?: number;
  } = {},
) {
  const left = [...script];
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
  });
  return { poller, chunks, reads: () => reads, wait: (ms: number) => void (now += ms) };
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

  test("looks again at once where what it missed came soon after, and leaves looks out where it did not", () => {
    const soon = open([]);
    const late = open([]);
    for (let i = 0; i < 20; i++) {
      soon.poller.poll();
      soon.poller.rest();
      late.poller.poll();
      late.wait(1);
      late.poller.rest();
    }
    expect(soon.reads()).toBeGreaterThan(20);
    expect(late.reads()).toBeLessThan(soon.reads() / 2);
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
