export { findRouteClashes, type RouteClash, type RouteSources } from "./clashes.ts";
export { piMutationQueue } from "./mutation-queue.ts";
export { definePiTool, type PiToolSpec, type RenderContext } from "./pi-tool.ts";
export {
  missingTools,
  registerTools,
  toAgentTool,
  toAgentTools,
  toCustomTool,
  toCustomTools,
  toolExtension,
  withdrawTool,
  type AgentToolOptions,
  type RegisterToolsOptions,
} from "./routes.ts";
