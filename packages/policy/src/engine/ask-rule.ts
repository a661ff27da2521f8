import type { PartDecision } from "../decision.ts";
import type { Part } from "../rules/compiled-match.ts";
import type { CompiledDefault, CompiledRule } from "./parts.ts";

/**
 * What one rule says about one part. A deny or ask holds for whatever may be meant, unless its own exception surely
 * and wholly covers the part; where it is not sure, it asks. An allow holds only for what is surely and wholly meant.
 */
export function askRule(rule: CompiledRule, part: Part, matched: () => string): PartDecision | undefined {
  if (rule.effect === "allow") {
    if (!rule.match.strict(part) || rule.excepts.some((except) => except.loose(part) !== "no"))
      return undefined;
    return partOf(rule, matched());
  }
  const answer = rule.match.loose(part);
  if (answer === "no" || rule.excepts.some((except) => except.strict(part))) return undefined;
  if (answer === "yes") return partOf(rule, matched());
  return {
    ...partOf(rule, matched()),
    effect: "ask",
    ...(rule.rule.personOnly === true ? { personOnly: true } : {}),
    reason: `${rule.reason}; whether it does is not known before it runs`,
  };
}

/** All that a list of rules says about a part: the denies and asks, and every allow, since one may reach further. */
export function askRules(
  rules: readonly CompiledRule[],
  part: Part,
  matched: () => string,
): { readonly against: readonly PartDecision[]; readonly allows: readonly CompiledRule[] } {
  const against: PartDecision[] = [];
  const allows: CompiledRule[] = [];
  for (const rule of rules) {
    const decision = askRule(rule, part, matched);
    if (decision === undefined) continue;
    if (rule.effect === "allow") allows.push(rule);
    else against.push(decision);
  }
  return { against, allows };
}

/** What a default says about a part, unless a layer took the part out of it. */
export function askDefault(
  entry: CompiledDefault,
  part: Part,
  matched: () => string,
): PartDecision | undefined {
  if (entry.effect === "allow" || entry.excepts.some((except) => except.strict(part))) return undefined;
  return {
    effect: entry.effect,
    rule: entry.id,
    layer: entry.layer,
    matched: matched(),
    reason: entry.reason,
  };
}

export function partOf(rule: CompiledRule, matched: string): PartDecision {
  return {
    effect: rule.effect,
    rule: rule.id,
    layer: rule.layer,
    matched,
    reason: rule.reason,
    ...(rule.rule.personOnly === true && rule.effect === "ask" ? { personOnly: true } : {}),
  };
}
