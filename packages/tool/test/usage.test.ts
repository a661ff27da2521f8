import type { Usage as PiUsage } from "@earendil-works/pi-ai";
import { addUsage, type ToolUsage } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

const usage = (n: number, more = {}): ToolUsage => ({
  input: n,
  output: 2 * n,
  cacheRead: 3 * n,
  cacheWrite: 4 * n,
  totalTokens: 10 * n,
  cost: { input: n, output: n, cacheRead: n, cacheWrite: n, total: 4 * n },
  ...more,
});

describe("the sum of two usages", () => {
  it("adds every count and every cost", () => {
    expect(addUsage(usage(1), usage(10))).toEqual(usage(11));
  });

  it("keeps a split that only one side has, and makes none up", () => {
    expect(addUsage(usage(1, { reasoning: 5 }), usage(1))).toEqual(usage(2, { reasoning: 5 }));
    expect(addUsage(usage(1, { cacheWrite1h: 2 }), usage(1, { cacheWrite1h: 3 }))).toEqual(
      usage(2, { cacheWrite1h: 5 }),
    );
  });

  // contract A18
  it("says that a total is the provider's only when every part of it is", () => {
    const billed = (totalFromProvider?: boolean): ToolUsage => {
      const one = usage(1);
      return totalFromProvider === undefined ? one : { ...one, cost: { ...one.cost, totalFromProvider } };
    };
    const told = [undefined, false, true].map((first) =>
      [undefined, false, true].map(
        (second) => addUsage(billed(first), billed(second)).cost.totalFromProvider,
      ),
    );
    expect(told).toEqual([
      [undefined, false, false],
      [false, false, false],
      [false, false, true],
    ]);
    expect(addUsage(billed(), billed()).cost).not.toHaveProperty("totalFromProvider");
  });

  it("has no field less than the usage of Pi", () => {
    const every: Required<ToolUsage> & { readonly cost: Required<ToolUsage["cost"]> } = {
      ...usage(1),
      cacheWrite1h: 1,
      reasoning: 1,
      cost: { ...usage(1).cost, totalFromProvider: true },
    };
    // A field that Pi gains does not type-check here until it is added up.
    const pi: PiUsage = every;
    const back: Required<PiUsage> & { readonly cost: Required<PiUsage["cost"]> } = every;
    const sum = addUsage(pi, back);
    expect(Object.keys(sum).toSorted()).toEqual(Object.keys(every).toSorted());
    expect(Object.keys(sum.cost).toSorted()).toEqual(Object.keys(every.cost).toSorted());
  });
});
