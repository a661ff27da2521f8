import type { ToolUsage } from "./result.ts";

/**
 * The sum of two usages: a split is kept when either side has it, and a total is the provider's only when both are.
 */
export function addUsage(a: ToolUsage, b: ToolUsage): ToolUsage {
  const split = (key: "cacheWrite1h" | "reasoning"): Partial<ToolUsage> =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) };
  const billed = [a.cost.totalFromProvider, b.cost.totalFromProvider];
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...split("cacheWrite1h"),
    ...split("reasoning"),
    totalTokens: a.totalTokens + b.totalTokens,
    cost: {
      input: a.cost.input + b.cost.input,
      output: a.cost.output + b.cost.output,
      cacheRead: a.cost.cacheRead + b.cost.cacheRead,
      cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
      total: a.cost.total + b.cost.total,
      ...(billed.every((told) => told === undefined)
        ? {}
        : { totalFromProvider: billed.every((told) => told === true) }),
    },
  };
}
