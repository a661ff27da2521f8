import type { ToolLoadout, ToolLoadoutChanges } from "@earendil-works/pi-coding-agent";
import type { CatalogTool } from "../declarations/catalog.ts";
import { nameTools } from "../declarations/identifier.ts";
import { describeCodemode } from "../script-tool/description.ts";
import { CODEMODE_TOOL_NAME } from "./names.ts";
import { summarizeOutput } from "./output-summary.ts";

/**
 * How tools that can be declared and called from scripts are shown: `on` declares them and says how a script calls
 * them; `only` leaves their declarations out of requests and lists them in the codemode description.
 */
export type CodemodeMode = "on" | "only";

export interface LoadoutOptions {
  readonly mode: CodemodeMode;
  readonly inlineBudget: number;
  readonly modelsReference: string | undefined;
}

/**
 * What the model sees while codemode is active. What is listed follows a tool's exposure and not what is active, and
 * deferred tools are never listed: so the text stays the same while tools are loaded and servers connect
 * (contract A25).
 */
export function prepareLoadout(loadout: ToolLoadout, options: LoadoutOptions): ToolLoadoutChanges {
  const callable = loadout.callable.filter((tool) => tool.name !== CODEMODE_TOOL_NAME);
  const isDirect = (name: string): boolean => loadout.getExposure(name) === "direct";
  const listed = callable.filter(
    ({ name }) => loadout.getExposure(name) !== "deferred" && (options.mode === "only" || !isDirect(name)),
  );
  // A tool that is not listed may still own an identifier.
  const allNames = callable.map((tool) => tool.name);
  const descriptions: Record<string, string> = {
    [CODEMODE_TOOL_NAME]: describeCodemode(
      listed.map((tool): CatalogTool => {
        const namespace = loadout.getNamespace(tool.name);
        return {
          name: tool.name,
          description: tool.description,
          parameters: tool.parameters,
          ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
          ...(namespace === undefined ? {} : { namespace }),
          promptGuidelines: loadout.getPromptGuidelines(tool.name),
        };
      }),
      { modelsReference: options.modelsReference, inlineBudget: options.inlineBudget, allNames },
    ),
  };
  const declared = loadout.declared.filter((tool) => callable.some(({ name }) => name === tool.name));
  if (options.mode === "only") {
    return { descriptions, hiddenDeclarations: declared.map(({ name }) => name).filter(isDirect) };
  }
  const names = nameTools(allNames);
  for (const tool of declared) {
    const identifier = names.identifierOf(tool.name);
    const result = summarizeOutput(tool.name, tool.outputSchema);
    descriptions[tool.name] =
      `${tool.description.trim()}\n\nIn codemode: \`await tools.${identifier}(args)\` gives ${result}.`;
  }
  return { descriptions, hiddenDeclarations: [] };
}
