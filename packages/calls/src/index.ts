export { createToolHost } from "./host.ts";
export type {
  BatchCall,
  BatchOutcome,
  CallerOptions,
  CallerSummary,
  HostCaller,
  RootCallOptions,
  ToolHost,
} from "./host.ts";
export type { ToolHostOptions } from "./host-parts.ts";
export type { NestedCaller } from "./caller.ts";
export type { Clock } from "./clock.ts";
export { CallsError, type CallsErrorCode } from "./errors.ts";
export type {
  CallFailure,
  HandlerContext,
  Handlers,
  HostEvent,
  HostListener,
  HostProblem,
  ToolCallHandler,
  ToolCallHandlerEvent,
  ToolCallHandlerResult,
  ToolExecutionEnd,
  ToolExecutionStart,
  ToolExecutionUpdate,
  ToolResultHandler,
  ToolResultHandlerEvent,
  ToolResultHandlerResult,
} from "./events.ts";
export { defaultLimits, type CallLimits } from "./limits.ts";
export type { HostCallOutcome, RootCallOutcome } from "./outcome.ts";
export type { NestedCallRecord, NestedCallsRecord } from "./record.ts";
export type { HostTool, RegisteredTool, ToolLoadout, ToolLoadoutChanges } from "./registry.ts";
export type { ToolCallContext } from "./run-tool.ts";
