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
export type { CallEnd, CallGate, CallRequest, CallVerdict, ToolSource } from "./gate.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type {
  ImageContent,
  TextContent,
  ToolContent,
  ToolResult,
  ToolUpdateCallback,
  ToolUsage,
} from "./result.ts";
export { abortError, isAbortError, throwIfAborted } from "./abort.ts";
export { isToolError, ToolError, type ToolErrorCode } from "./error.ts";
export {
  compileSchema,
  formatPointer,
  formatSchemaErrors,
  type CompiledSchema,
  type SchemaError,
  type SchemaResult,
} from "./schema.ts";
export { systemClock, type Clock } from "./clock.ts";
export { defineTool, type DefineToolOptions } from "./define-tool.ts";
export { messageOf } from "./message-of.ts";
export { createMutationQueue, type FileMutationQueue } from "./mutation-queue.ts";
export {
  checkToolName,
  checkToolNames,
  findNameCollisions,
  toIdentifier,
  type NameCollision,
} from "./name.ts";
export { nearestName } from "./nearest-name.ts";
export { takePage, type Page, type PageOptions } from "./page.ts";
export { findJsonFault, type JsonFault } from "./plain-json.ts";
export { toPlainJson, type PlainJson, type PlainJsonOptions } from "./to-plain-json.ts";
export { createProgress, type Progress, type ProgressLimits, type ProgressOptions } from "./progress.ts";
export {
  createRedactor,
  redactForRecord,
  redactJson,
  type Redactor,
  type RedactorOptions,
} from "./redact.ts";
export { isSecretKey, type RedactionRule } from "./secret-rules.ts";
export {
  dataResult,
  failureResult,
  pageResult,
  textResult,
  type DataOptions,
  type DataResult,
  type TextResult,
} from "./results.ts";
export { refusal } from "./sanitize.ts";
export { addUsage } from "./usage.ts";
export type {
  DeepReadonly,
  DefinedTool,
  StructuredOf,
  ToolContext,
  ToolSpec,
  TypedResult,
} from "./tool-spec.ts";
export {
  modelTextLimits,
  shorten,
  truncateText,
  type TruncatedText,
  type TruncateOptions,
} from "./truncate.ts";
