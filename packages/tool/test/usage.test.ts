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
});
