import type { Effect, LayerName } from "../decision.ts";
import type { PolicyLayer } from "../rules/types.ts";
import { wildcard } from "../rules/wildcard.ts";

export interface Fallback {
  readonly effect: Effect;
  readonly layer: LayerName;
}

const order: readonly LayerName[] = ["managed", "user", "project", "built-in"];
const weight: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

/**
 * Compiles the fallbacks of all layers. The strongest layer that names the tool decides; within a layer the exact
 * name, then the longest wildcard. A project's fallback counts only where it is stricter, or where the project may
 * loosen.
 */
export function compileFallbacks(
  layers: readonly PolicyLayer[],
  projectMayLoosen: boolean,
): (toolName: string) => Fallback | undefined {
  const tables = layers
    .filter((layer) => layer.ok)
    .map((layer) => ({
      layer: layer.name,
      entries: Object.entries(layer.policy.fallback)
        .map(([name, effect]) => ({
          exact: !/[*?]/.test(name),
          length: name.length,
          test: wildcard(name),
          effect,
        }))
        .sort((a, b) => Number(b.exact) - Number(a.exact) || b.length - a.length),
    }))
    .filter((table) => table.entries.length > 0)
    .sort((a, b) => order.indexOf(a.layer) - order.indexOf(b.layer));
  return (toolName) => {
    let found: Fallback | undefined;
    for (const table of tables) {
      const entry = table.entries.find(({ test }) => test(toolName));
      if (entry === undefined) continue;
      const fallback = { effect: entry.effect, layer: table.layer };
      const tightens = weight[entry.effect] > (found === undefined ? 0 : weight[found.effect]);
      if (table.layer === "project" && !projectMayLoosen) {
        if (entry.effect !== "allow" && (found === undefined || tightens)) found = fallback;
      } else if (found === undefined || (found.layer === table.layer && tightens)) {
        found = fallback;
      }
    }
    return found;
  };
}
