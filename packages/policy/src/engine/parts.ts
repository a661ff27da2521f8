import type { CallRequest } from "@nestbox/tool";

import type { Effect, LayerName, PartDecision } from "../decision.ts";
import type { CallTest } from "../rules/call-filter.ts";
import type { PolicyLayer, Rule, ToolMapping, Trust } from "../rules/types.ts";
import type { Fallback } from "./fallback.ts";

/** A rule, ready to be asked. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly id: string;
  readonly effect: Effect;
  readonly layer: LayerName;
  readonly reason: string;
  /** Whether the rule speaks about this call at all. */
  readonly applies: CallTest;
  /** What the rule leaves out, as far as it can be told from the call itself. */
  readonly excepts: readonly CallTest[];
}

/** All that was made ready when the engine was created. */
export interface EngineParts {
  readonly toolRules: readonly CompiledRule[];
  readonly fallback: (toolName: string) => Fallback | undefined;
  readonly mapping: (tool: CallRequest["tool"]) => EffectiveMapping;
  readonly trust: Trust;
  /** Layers that did not load: every call that is not refused asks. */
  readonly broken: readonly Extract<PolicyLayer, { ok: false }>[];
  /** The way out that the deciding rule names. */
  readonly instead: (part: PartDecision) => string | undefined;
}

/** What all layers together say about a tool's arguments. */
export interface EffectiveMapping {
  readonly mappings: readonly ToolMapping[];
  /** The mapping names every effect, so the tool itself needs no decision when its parts have one. */
  readonly complete: boolean;
  readonly transparent: boolean;
  /** What the reviewed table or the person says. */
  readonly annotations: ToolMapping["annotations"];
}
