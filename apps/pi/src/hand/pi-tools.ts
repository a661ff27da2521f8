import {
  createBashToolDefinition,
  createEditToolDefinition,
  createFindToolDefinition,
  createGrepToolDefinition,
  createLsToolDefinition,
  createPowerShellToolDefinition,
  createReadToolDefinition,
  createWriteToolDefinition,
  type ExtensionAPI,
} from "@earendil-works/pi-coding-agent";
import type { HostTool } from "@nestbox/calls";

/** Pi's own tools in a folder, by name, set up by Pi's settings as the session's are. */
export function createPiTools(
  cwd: string,
  settings: ReturnType<ExtensionAPI["getSettings"]>,
): ReadonlyMap<string, HostTool> {
  const { shellCommandPrefix: commandPrefix, shellPath, images } = settings;
  const definitions: readonly { readonly name: string }[] = [
    createReadToolDefinition(
      cwd,
      images?.autoResize === undefined ? {} : { autoResizeImages: images.autoResize },
    ),
    createBashToolDefinition(cwd, {
      ...(commandPrefix === undefined ? {} : { commandPrefix }),
      ...(shellPath === undefined ? {} : { shellPath }),
    }),
    createPowerShellToolDefinition(cwd),
    createEditToolDefinition(cwd),
    createWriteToolDefinition(cwd),
    createGrepToolDefinition(cwd),
    createFindToolDefinition(cwd),
    createLsToolDefinition(cwd),
  ];
  return new Map(definitions.map((definition) => [definition.name, toHostTool(definition)]));
}

/** A definition of Pi's form is one of ours, with the types of its arguments forgotten. */
export function toHostTool(definition: { readonly name: string }): HostTool {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return definition as HostTool;
}
