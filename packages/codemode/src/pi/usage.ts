import type { ToolUsage } from "@nestbox/tool";

/** The sum of two usages; splits that only some providers report are kept when either side has them. */
export function addUsage(first: ToolUsage | undefined, second: ToolUsage): ToolUsage {
  if (first === undefined) return second;
  return {
    ...optionalSum(first, second, "cacheWrite1h"),
    ...optionalSum(first, second, "reasoning"),
    input: first.input + second.input,
    output: first.output + second.output,
    cacheRead: first.cacheRead + second.cacheRead,
    cacheWrite: first.cacheWrite + second.cacheWrite,
    totalTokens: first.totalTokens + second.totalTokens,
    cost: {
      input: first.cost.input + second.cost.input,
      output: first.cost.output + second.cost.output,
      cacheRead: first.cost.cacheRead + second.cost.cacheRead,
      cacheWrite: first.cost.cacheWrite + second.cost.cacheWrite,
      total: first.cost.total + second.cost.total,
    },
  };
}

function optionalSum(first: ToolUsage, second: ToolUsage, key: string): Record<string, number> {
  const values: unknown[] = [Reflect.get(first, key), Reflect.get(second, key)];
  const numbers = values.filter((value) => typeof value === "number");
  return numbers.length === 0 ? {} : { [key]: numbers.reduce((sum, value) => sum + value, 0) };
}
