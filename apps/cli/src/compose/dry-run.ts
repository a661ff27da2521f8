import type { GateOptions } from "@nestbox/policy";

import type { Colors } from "../report/colors.ts";
import { count } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";

/** Calls of one tool that one rule would have denied. */
export interface WouldDeny {
  readonly tool: string;
  readonly rule: string;
  readonly layer: string;
  /** What of the first of them the rule matched. */
  readonly matched: string;
  readonly count: number;
}

/** What a dry run has let through. */
export interface DryRun {
  readonly onDecision: NonNullable<GateOptions["onDecision"]>;
  wouldDeny(): readonly WouldDeny[];
}

/** Tools and rules that are told apart; calls beyond them are not listed. */
const MAX_KINDS = 200;

export function createDryRun(): DryRun {
  const found = new Map<string, WouldDeny>();
  return {
    onDecision({ request, verdict, decision, wouldBe }) {
      if (wouldBe === undefined) return;
      const { rule, layer } = verdict.decision;
      const key = JSON.stringify([request.tool.name, rule, layer]);
      const seen = found.get(key);
      if (seen !== undefined) found.set(key, { ...seen, count: seen.count + 1 });
      else if (found.size < MAX_KINDS)
        found.set(key, { tool: request.tool.name, rule, layer, matched: decision?.matched ?? "", count: 1 });
    },
    wouldDeny: () => [...found.values()],
  };
}

/** A line each, for a person. */
export function dryRunLines(found: readonly WouldDeny[], colors: Colors): readonly string[] {
  if (found.length === 0) return ["nothing"];
  return found.map((one) => {
    const times = one.count === 1 ? "" : `, ${count(one.count, "call")}`;
    const matched = one.matched === one.tool ? "" : ` ${oneLine(one.matched, 200)}`;
    return `${oneLine(one.tool)}${matched}  ${colors.dim(`${one.rule} (${one.layer})${times}`)}`;
  });
}
