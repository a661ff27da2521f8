import type { ExtensionToolContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import type { ToolCaller, RunnableTool } from "@nestbox/tool";
declare const ctx: ExtensionToolContext;
export const caller: ToolCaller = ctx;
declare const def: ToolDefinition;
export const run: RunnableTool = def;
