import type { CallRequest } from "@nestbox/tool";

import {
  builtinTools,
  knownForeignTools,
  transparentNamespaced,
  transparentTools,
} from "../mapping/builtin.ts";
import { compileCallFilter } from "../rules/call-filter.ts";
import type { PolicyLayer, Rule, ToolMapping, Trust } from "../rules/types.ts";
import { ruleKind } from "../rules/types.ts";
import type { LayerName } from "../decision.ts";
import { worseAnnotations } from "./annotations.ts";
import { compileFallbacks } from "./fallback.ts";
import type { EngineOptions } from "./options.ts";
import type { CompiledRule, EffectiveMapping, EngineParts } from "./parts.ts";

type LoadedLayer = Extract<PolicyLayer, { ok: true }>;

/** Makes all layers ready: matchers compiled, rules by kind, what a project may not loosen left out. */
export function compileLayers(options: EngineOptions): EngineParts {
  const loaded = options.layers.filter((layer) => layer.ok);
  const broken = options.layers.filter((layer) => !layer.ok);
  const projectMayLoosen = mayLoosen(loaded);
  const counts = (layer: LoadedLayer): boolean => layer.name !== "project" || projectMayLoosen;
  const toolRules: CompiledRule[] = [];
  for (const layer of loaded) {
    for (const rule of layer.policy.rules) {
      if (rule.effect === "allow" && !counts(layer)) continue;
      if (ruleKind(rule) === "tool") toolRules.push(compileRule(rule, layer.name));
    }
  }
  const ways = new Map(
    loaded.flatMap((layer) =>
      layer.policy.rules.map((rule) => [`${layer.name}\0${rule.id}`, rule.instead] as const),
    ),
  );
  return {
    toolRules,
    fallback: compileFallbacks(loaded, projectMayLoosen),
    mapping: compileMappings(loaded, counts),
    trust: uniteTrust([
      ...(options.trust === undefined ? [] : [options.trust]),
      ...loaded.filter(counts).map((layer) => layer.policy.trust),
    ]),
    broken,
    instead: (part) => ways.get(`${part.layer}\0${part.rule}`),
  };
}

export function compileRule(rule: Rule, layer: LayerName): CompiledRule {
  const fail = (message: string): void => {
    throw new TypeError(`rule ${rule.id}: ${message}`);
  };
  return {
    rule,
    id: rule.id,
    effect: rule.effect,
    layer,
    reason: rule.reason ?? `The rule ${rule.id} says so`,
    applies: compileCallFilter(rule, fail),
    excepts: (rule.except ?? []).map((except) => compileCallFilter({ actor: "any", ...except }, fail)),
  };
}

/** The managed layer's word, else the user's. */
function mayLoosen(layers: readonly LoadedLayer[]): boolean {
  for (const name of ["managed", "user"] as const) {
    const said = layers.filter((layer) => layer.name === name).map((layer) => layer.policy.projectMayLoosen);
    if (said.includes(false)) return false;
    if (said.includes(true)) return true;
  }
  return false;
}

function uniteTrust(all: readonly Trust[]): Trust {
  const unite = (key: "mcpServers" | "env" | "programFolders" | "wrappers"): readonly string[] => [
    ...new Set(all.flatMap((trust) => trust[key] ?? [])),
  ];
  return {
    mcpServers: unite("mcpServers"),
    annotations: all.every((trust) => trust.annotations !== false),
    env: unite("env"),
    programFolders: unite("programFolders"),
    wrappers: unite("wrappers"),
  };
}

function compileMappings(
  layers: readonly LoadedLayer[],
  counts: (layer: LoadedLayer) => boolean,
): (tool: CallRequest["tool"]) => EffectiveMapping {
  const stated = layers.flatMap((layer) =>
    Object.entries(layer.policy.tools).map(([name, mapping]) => ({
      name,
      mapping: counts(layer)
        ? { complete: true, ...mapping }
        : { ...mapping, complete: false, transparent: false },
    })),
  );
  return (tool) => {
    const mappings: ToolMapping[] = stated
      .filter(({ name }) => name === tool.name)
      .map(({ mapping }) => mapping);
    const builtin = builtinTools.get(tool.name);
    // A tool that took a built-in's name is read the same way, but what it does beyond that is not known.
    if (builtin !== undefined) mappings.push({ ...builtin, complete: tool.source?.kind === "builtin" });
    const foreign = mappings.length === 0 ? knownForeignTools.get(tool.name) : undefined;
    if (foreign !== undefined) mappings.push(foreign);
    const annotated = mappings.filter(
      (mapping) => mapping.annotations !== undefined && mapping.complete === true,
    );
    return {
      mappings,
      complete: mappings.some((mapping) => mapping.complete === true && hasParts(mapping)),
      transparent: mappings.some((mapping) => mapping.transparent === true) || isTransparent(tool),
      annotations: annotated.reduce<ToolMapping["annotations"]>(
        (found, { annotations }) =>
          found === undefined || annotations === undefined
            ? (found ?? annotations)
            : worseAnnotations(found, annotations),
        undefined,
      ),
    };
  };
}

function hasParts(mapping: ToolMapping): boolean {
  return (
    mapping.shell !== undefined ||
    mapping.paths !== undefined ||
    mapping.patch !== undefined ||
    mapping.hosts !== undefined
  );
}

function isTransparent(tool: CallRequest["tool"]): boolean {
  if (tool.source === undefined || tool.source.kind === "mcp") return false;
  if (transparentTools.has(tool.name)) return true;
  const namespace = transparentNamespaced.get(tool.name);
  return namespace !== undefined && tool.namespace?.name === namespace;
}
