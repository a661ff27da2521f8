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
export type { HostCallOptions, NestedCaller } from "./caller.ts";
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
export { all, map, settled, type AllResult, type ConcurrentOptions } from "./combinators/all.ts";
export { cached } from "./combinators/cached.ts";
export {
  createSessionCache,
  type SessionCache,
  type SessionCacheOptions,
} from "./combinators/session-cache.ts";
export { deadline, type DeadlineOptions, type DeadlineResult } from "./combinators/deadline.ts";
export type { Call, CallerOf, CombinatorOptions } from "./combinators/group.ts";
export { fallback, race, type FirstResult } from "./combinators/race.ts";
export { retry, type RetryOptions, type RetryResult } from "./combinators/retry.ts";
export { tellCancelled } from "./combinators/tell-cancelled.ts";
export type { ScriptBeginning } from "./trace/script.ts";
export { createTrace, type ScriptBuilder, type TraceBuilder, type TraceOptions } from "./trace/trace.ts";
export {
  callTraceSchema,
  readTrace,
  type CallTrace,
  type ReadTrace,
  type TraceCall,
  type TraceLimit,
  type TraceOutput,
  type TraceScript,
  type TraceStatus,
} from "./trace/schema.ts";
