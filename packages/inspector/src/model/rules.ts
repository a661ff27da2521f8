import type { Decision, RunCall } from "./run.ts";

/** A rule with the number of calls that it decided. */
export interface RuleUse extends Decision {
  readonly calls: number;
}

/** Every rule that decided something, the most used first. */
export function ruleUses(calls: readonly RunCall[]): readonly RuleUse[] {
  const uses = new Map<string, { decision: Decision; calls: number }>();
  for (const { decision } of calls) {
    if (decision === undefined) continue;
    const key = JSON.stringify([decision.effect, decision.rule, decision.layer]);
    const use = uses.get(key);
    if (use === undefined) uses.set(key, { decision, calls: 1 });
    else use.calls++;
  }
  return [...uses.values()]
    .map(({ decision, calls: count }) => ({ ...decision, calls: count }))
    .sort((a, b) => b.calls - a.calls);
}
