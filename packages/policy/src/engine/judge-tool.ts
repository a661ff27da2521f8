import type { CallRequest } from "@nestbox/tool";

import type { PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { annotationsCount, needsApproval, worseAnnotations } from "../rules/annotations.ts";
import { askRules, partOf } from "./ask-rule.ts";
import type { EffectiveMapping, EngineParts } from "./parts.ts";

/** What the rules about the tool itself say, and what holds for whatever no rule names. */
export interface ToolJudgement {
  /** Denies and asks of rules. */
  readonly against: readonly PartDecision[];
  /** The rule that allows the tool, else the fallback or the annotations. */
  readonly otherwise: PartDecision;
}

export function judgeTool(
  engine: EngineParts,
  request: CallRequest,
  mapping: EffectiveMapping,
): ToolJudgement {
  const matched = showText(request.tool.name);
  const { against, allows } = askRules(engine.toolRules, { request, resources: [] }, () => matched);
  const [allow] = allows;
  return {
    against,
    otherwise: allow === undefined ? toolDefault(engine, request, mapping) : partOf(allow, matched),
  };
}

/** A layer that did not load: every call asks, whatever else is allowed. */
export function judgeBroken(engine: EngineParts, request: CallRequest): readonly PartDecision[] {
  return engine.broken.map((layer) => {
    const [problem] = layer.problems;
    const where =
      problem === undefined ? "no reason given" : `${problem.file}:${problem.line}: ${problem.message}`;
    return {
      effect: "ask",
      rule: "strict.broken-policy",
      layer: layer.name,
      matched: showText(request.tool.name),
      reason: `The policy of this layer did not load (${showText(where)}), so every call asks`,
    };
  });
}

/** What happens when no rule speaks about the tool. */
function toolDefault(engine: EngineParts, request: CallRequest, mapping: EffectiveMapping): PartDecision {
  const matched = showText(request.tool.name);
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

function annotationReason(request: CallRequest, counted: boolean, asks: boolean): string {
  if (!asks) return "No rule matches, and its annotations say that it changes nothing";
  const { source } = request.tool;
  if (source?.kind === "builtin") return "No rule allows it, and it can change things";
  if (counted) return "No rule matches, and its annotations do not say that it is harmless";
  return source?.kind === "mcp"
    ? `No rule matches, and the annotations of the server ${showText(source.server)} are not trusted`
    : "No rule matches, and where the tool comes from is not known";
}
