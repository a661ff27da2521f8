import {
  createCodemodeExtension,
  type ExtensionAPI,
  type ToolRenderers,
} from "@earendil-works/pi-coding-agent";
import { withHostKeys } from "./host-keys.ts";

/**
 * How Pi draws its own codemode tool, in the terminal and in exports: the tool's definition is not exported, but the
 * extension hands it to whoever plays `pi`. Without it Pi draws a tool in its plain way.
 */
export function builtinRenderers(): ToolRenderers {
  let renderers: ToolRenderers = {};
  const stage = {
    registerTool({ renderCall, renderResult, renderShell }: ToolRenderers): void {
      renderers = {
        ...(renderShell === undefined ? {} : { renderShell }),
        ...(renderCall === undefined ? {} : { renderCall }),
        ...(renderResult === undefined ? {} : { renderResult }),
      };
    },
  };
  try {
    // All that the extension does while it loads is to register its tool.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    void createCodemodeExtension({ models: false })(stage as unknown as ExtensionAPI);
  } catch {
    return {};
  }
  return withHostKeys(renderers);
}
