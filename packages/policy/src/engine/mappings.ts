import type { CallRequest } from "@nestbox/tool";

import {
  builtinTools,
  knownForeignTools,
  transparentNamespaced,
  transparentTools,
} from "../mapping/builtin.ts";
import type { PolicyLayer, ToolMapping } from "../rules/types.ts";
import { worseAnnotations } from "./annotations.ts";
import type { EffectiveMapping } from "./parts.ts";

type LoadedLayer = Extract<PolicyLayer, { ok: true }>;

/** What the reviewed table and all layers say about each tool. */
export function compileMappings(
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
