import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";

declare const pi: ExtensionAPI;

// README
import { createSessionCache } from "@nestbox/calls";

const quiet = new Set(["read", "grep", "find", "ls", "codemode"]); // Pi's own tools carry no annotations
const cache = createSessionCache({
  changesNothing: (name) =>
    quiet.has(name) ||
    pi.getAllTools().find((tool) => tool.name === name)?.annotations?.readOnlyHint === true,
});
pi.on("tool_execution_start", cache.onEvent);
pi.on("tool_execution_end", cache.onEvent);
pi.on("agent_end", cache.onEvent);
// In a tool's execute: const reading = cache.cached(ctx, toolCallId);
// README

export { cache };
