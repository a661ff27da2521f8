import type { ToolUsage } from "./result.ts";

/** Splits that Pi's `Usage` may carry beyond {@link ToolUsage}. */
interface OptionalSplits {
  readonly cacheWrite1h?: number;
  readonly reasoning?: number;
}

/** The sum of two usages; optional token splits are kept when either side has them. */
export function addUsage(first: ToolUsage, second: ToolUsage): ToolUsage {
  const a: ToolUsage & OptionalSplits = first;
  const b: ToolUsage & OptionalSplits = second;
  const split = (key: keyof OptionalSplits): Partial<OptionalSplits> =>
    a[key] === undefined && b[key] === undefined ? {} : { [key]: (a[key] ?? 0) + (b[key] ?? 0) };
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
    },
  };
}
