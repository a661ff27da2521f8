export type {
  CallDecision,
  CallableTool,
  PauseSource,
  ToolCallOptions,
  ToolCallOutcome,
  ToolCaller,
} from "./caller.ts";
export type {
  RunnableTool,
  ToolAnnotations,
  ToolExecutionMode,
  ToolExposure,
  ToolNamespace,
} from "./definition.ts";
export type { DangerEntry } from "./danger.ts";
export type { CallGate, CallRequest, CallVerdict, ToolSource } from "./gate.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { ImageContent, TextContent, ToolContent, ToolResult, ToolUpdateCallback, ToolUsage } from "./result.ts";
