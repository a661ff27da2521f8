import type { CallRequest } from "@nestbox/tool";

import {
  builtinTools,
  knownForeignTools,
  transparentNamespaced,
  transparentTools,
} from "../mapping/builtin.ts";
import type { PolicyLayer, ToolMapping } from "../rules/types.ts";
import { worseAnnotations } from "../rules/annotations.ts";
import type { EffectiveMapping } from "./parts.ts";

type LoadedLayer = Extract<PolicyLayer, { ok: true }>;

interface Stated {
  readonly mapping: ToolMapping;
  /** Whoever states it may loosen: its completeness, transparency and annotations count. */
  readonly counts: boolean;
}

/** What the reviewed table and all layers say about each tool. */
export function compileMappings(
  layers: readonly LoadedLayer[],
  counts: (layer: LoadedLayer) => boolean,
): (tool: CallRequest["tool"]) => EffectiveMapping {
  const byName = new Map<string, Stated[]>();
  for (const layer of layers) {
    for (const [name, mapping] of Object.entries(layer.policy.tools)) {
      byName.set(name, [...(byName.get(name) ?? []), { mapping, counts: counts(layer) }]);
    }
  }
  return (tool) => {
    const stated = (byName.get(tool.name) ?? []).map(({ mapping, counts: own }): Stated => ({
      mapping,
      counts: own && isOwner(mapping, tool),
    }));
    const builtin = builtinTools.get(tool.name);
    // A tool that took a built-in's name is read the same way, but what it does beyond that is not known.
    if (builtin !== undefined) stated.push({ mapping: builtin, counts: tool.source?.kind === "builtin" });
    const foreign = stated.length === 0 ? (knownForeignTools.get(plainName(tool)) ?? []) : [];
    for (const mapping of foreign) stated.push({ mapping: { ...mapping, guessed: true }, counts: false });
    const counted = stated.filter((one) => one.counts).map(({ mapping }) => mapping);
    return {
      mappings: stated.map(({ mapping }) => mapping),
      complete: counted.some((mapping) => mapping.complete !== false && hasParts(mapping)),
      transparent: counted.some((mapping) => mapping.transparent === true) || isTransparent(tool),
      annotations: counted.reduce<ToolMapping["annotations"]>(
        (found, { annotations }) =>
          found === undefined || annotations === undefined
            ? (found ?? annotations)
            : worseAnnotations(found, annotations),
        undefined,
      ),
    };
  };
}

/** The name that a server gave its tool: of `mcp__fs__read_file` it is `read_file`. */
function plainName({ name, source }: CallRequest["tool"]): string {
  return source?.kind === "mcp" ? name.replace(/^mcp__.*?__/, "") : name;
}

/** The name of an MCP tool does not say whose it is; a mapping that loosens names the server. */
function isOwner(mapping: ToolMapping, tool: CallRequest["tool"]): boolean {
  return tool.source?.kind === "mcp" ? mapping.server === tool.source.server : mapping.server === undefined;
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
