import { createScriptTool as createTool, type ScriptRunner, type ScriptTool } from "@nestbox/codemode";
import { createTempFiles } from "@nestbox/codemode/node";

/** The codemode that `@nestbox/codemode` has for every host, under a name of this agent's own. */
export function createScriptTool(runner: ScriptRunner): ScriptTool {
  return createTool(runner, { name: "script", files: createTempFiles() });
}
