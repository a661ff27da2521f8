import type { CallRequest } from "@nestbox/tool";

import type { Effect, LayerName, PartDecision } from "../decision.ts";
import type { CompiledMatch } from "../rules/compiled-match.ts";
import type { PolicyLayer, Rule, ToolMapping, Trust } from "../rules/types.ts";
import type { Fallback } from "./fallback.ts";
import type { EngineOptions } from "./options.ts";

/** A rule, ready to be asked. */
export interface CompiledRule {
  readonly rule: Rule;
  readonly id: string;
  readonly effect: Effect;
  readonly layer: LayerName;
  readonly reason: string;
  readonly match: CompiledMatch;
  readonly excepts: readonly CompiledMatch[];
}

/** Command rules by the programs that they can match. */
export interface CommandRules {
  readonly byProgram: ReadonlyMap<string, readonly CompiledRule[]>;
  readonly open: readonly CompiledRule[];
}

/** A default that a layer can change like a rule. */
export interface CompiledDefault {
  readonly id: string;
  readonly effect: Effect;
  readonly layer: LayerName;
  readonly reason: string;
  readonly excepts: readonly CompiledMatch[];
}

/** All that was made ready when the engine was created. */
export interface EngineParts {
  readonly options: EngineOptions;
  readonly toolRules: readonly CompiledRule[];
  readonly commandRules: CommandRules;
  readonly pathRules: readonly CompiledRule[];
  readonly hostRules: readonly CompiledRule[];
  readonly refRules: readonly CompiledRule[];
  readonly limitRules: readonly CompiledRule[];
  readonly defaults: {
    readonly external: CompiledDefault;
    readonly unknown: CompiledDefault;
    readonly write: CompiledDefault;
  };
  readonly fallback: (toolName: string) => Fallback | undefined;
  readonly mapping: (tool: CallRequest["tool"]) => EffectiveMapping;
  readonly trust: Trust;
  /** Layers that did not load: every call that is not refused asks. */
  readonly broken: readonly Extract<PolicyLayer, { ok: false }>[];
  /** Absolute paths of the leash's own files, whose hard links are looked for. */
  readonly guarded: readonly string[];
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
