import type { CallRequest } from "@nestbox/tool";

import type { PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import type { Care } from "../rules/call-filter.ts";
import { annotationsCount, needsApproval, worseAnnotations } from "./annotations.ts";
import type { CompiledRule, EffectiveMapping, EngineParts } from "./parts.ts";

/** Judges the tool itself: its rules, else the fallback of a layer, else its annotations. */
export function judgeTool(engine: EngineParts, request: CallRequest): PartDecision[] {
  const matched = showText(request.tool.name);
  const parts: PartDecision[] = [];
  for (const layer of engine.broken) {
    parts.push({
      effect: "ask",
      rule: "strict.broken-policy",
      layer: layer.name,
      matched,
      reason: `The policy of this layer did not load (${showText(problemText(layer.problems[0]))}), so every call asks`,
    });
  }
  let allow: CompiledRule | undefined;
  for (const rule of engine.toolRules) {
    if (!ruleMatchesCall(rule, request)) continue;
    if (rule.effect === "allow") allow ??= rule;
    else parts.push(partOf(rule, matched));
  }
  if (parts.some((part) => part.rule !== "strict.broken-policy")) return parts;
  if (allow !== undefined) return [...parts, partOf(allow, matched)];
  return [...parts, toolDefault(engine, request, engine.mapping(request.tool))];
}

/** Whether the rule decides the call, `except` applied: an exception from a deny must be sure, one from an allow need not. */
export function ruleMatchesCall(rule: CompiledRule, request: CallRequest): boolean {
  const care: Care = rule.effect === "allow" ? "strict" : "loose";
  const exceptCare: Care = rule.effect === "allow" ? "loose" : "strict";
  return rule.applies(request, care) && !rule.excepts.some((except) => except(request, exceptCare));
}

/** What happens when no rule speaks about the tool. */
export function toolDefault(
  engine: EngineParts,
  request: CallRequest,
  mapping: EffectiveMapping,
): PartDecision {
  const matched = showText(request.tool.name);
  if (request.actor === "person") {
    return {
      effect: "allow",
      rule: "default.person",
      layer: "built-in",
      matched,
      reason: "A person typed it; no rule binds the person",
    };
  }
  if (mapping.transparent) {
    return {
      effect: "allow",
      rule: "default.transparent",
      layer: "built-in",
      matched,
      reason: "It does nothing itself; each call it makes is judged",
    };
  }
  const fallback = engine.fallback(request.tool.name);
  if (fallback !== undefined) {
    return {
      effect: fallback.effect,
      rule: "default.fallback",
      layer: fallback.layer,
      matched,
      reason: `No rule matches, and this layer's fallback is ${fallback.effect}`,
    };
  }
  const counted = annotationsCount(request.tool, engine.trust);
  const own = counted ? request.tool.annotations : undefined;
  const annotations =
    own !== undefined && mapping.annotations !== undefined
      ? worseAnnotations(own, mapping.annotations)
      : (own ?? mapping.annotations ?? {});
  const asks = needsApproval(annotations);
  return {
    effect: asks ? "ask" : "allow",
    rule: "default.annotations",
    layer: "built-in",
    matched,
    reason: annotationReason(request, counted, asks),
  };
}

export function partOf(rule: CompiledRule, matched: string): PartDecision {
  return {
    effect: rule.effect,
    rule: rule.id,
    layer: rule.layer,
    matched,
    reason: rule.reason,
    ...(rule.rule.personOnly === true ? { personOnly: true } : {}),
  };
}

function annotationReason(request: CallRequest, counted: boolean, asks: boolean): string {
  if (!asks) return "No rule matches, and its annotations say that it changes nothing";
  if (counted) return "No rule matches, and its annotations do not say that it is harmless";
  const { source } = request.tool;
  return source?.kind === "mcp"
    ? `No rule matches, and the annotations of the server ${showText(source.server)} are not trusted`
    : "No rule matches, and where the tool comes from is not known";
}

function problemText(
  problem: { readonly file: string; readonly line: number; readonly message: string } | undefined,
): string {
  return problem === undefined ? "no reason given" : `${problem.file}:${problem.line}: ${problem.message}`;
}
