import type { CallableTool } from "@nestbox/tool";
import { renderSample } from "../declarations/tool-declaration.ts";
import type { RenderTool } from "./discovery.ts";

/** Tools whose texts are kept. */
const MAX_SAMPLES = 2_000;

/** Keeps the texts of tools while the tools stay as they are: schemas are compared by identity, the rest by value. */
export function createSampleCache(render: RenderTool = renderSample): RenderTool {
  const kept = new Map<string, { readonly key: readonly unknown[]; readonly text: string }>();
  return (tool, identifier) => {
    const key = keyOf(tool, identifier);
    const known = kept.get(tool.name);
    if (known !== undefined && known.key.every((part, index) => part === key[index])) return known.text;
    const text = render(tool, identifier);
    if (kept.size >= MAX_SAMPLES) kept.clear();
    kept.set(tool.name, { key, text });
    return text;
  };
}

function keyOf(tool: CallableTool, identifier: string): readonly unknown[] {
  const guidelines = (tool.promptGuidelines ?? []).join("\n");
  return [identifier, tool.description, tool.parameters, tool.outputSchema, guidelines];
}
