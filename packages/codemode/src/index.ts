export type { CheckOutcome, ScriptDiagnostic } from "./check/check-types.ts";
export { diagnosticsText } from "./check/diagnostics-text.ts";
export { CodemodeError, type CodemodeErrorCode } from "./runner/errors.ts";
export { DEFAULT_LIMITS } from "./runner/limits.ts";
export { createScriptRunner, type RunnerOptions } from "./runner/runner.ts";
export type { Clock } from "./runner/clock.ts";
export type { SandboxDriver, SandboxEvents, SandboxExit, SandboxLink, SandboxSpec } from "./runner/driver.ts";
export type { Frame } from "./runner/frames.ts";
export type {
  HostGlobal,
  OutputItem,
  ScriptCall,
  ScriptCallStatus,
  ScriptEnvironment,
  ScriptError,
  ScriptErrorKind,
  ScriptEvent,
  ScriptLimits,
  ScriptOutcome,
  ScriptRequest,
  ScriptRest,
  ScriptRunner,
  ScriptStats,
  ScriptWarning,
} from "./types.ts";
export { type CatalogOptions, type CatalogTool, renderCatalog } from "./declarations/catalog.ts";
export { type NamedTool, nameTools, toIdentifier, type ToolNames } from "./declarations/identifier.ts";
export { type SchemaType, schemaToType, type TypeOptions } from "./declarations/schema-type.ts";
export {
  type DeclaredTool,
  renderSample,
  renderSignature,
  type Signature,
} from "./declarations/tool-declaration.ts";
export {
  createDiscovery,
  type Discovery,
  type ListedTool,
  type NamespaceDescription,
  type RenderTool,
} from "./discovery/discovery.ts";
export { createSampleCache } from "./discovery/sample-cache.ts";
export type { ContextHelp } from "./models/check-context.ts";
export {
  type CatalogModel,
  createAbsentModels,
  createModelGlobals,
  type ModelCatalog,
  type ModelGlobalsOptions,
  type ModelResult,
  type ModelType,
} from "./models/model-globals.ts";
export type { ColumnShift } from "./source/edits.ts";
export {
  DEFAULT_MAX_OUTPUT_TOKENS,
  formatOutcome,
  type FormatOptions,
  type FormattedOutcome,
  type OutputFiles,
} from "./output/format-outcome.ts";
export { createScriptStore, type ScriptStore } from "./script-tool/script-store.ts";
export {
  createScriptTool,
  type ScriptTool,
  type ScriptToolDetails,
  type ScriptToolOptions,
} from "./script-tool/script-tool.ts";
export {
  parseScriptSource,
  type ScriptSource,
  SOURCE_GRAMMAR,
  type SourceOptions,
} from "./source/options-line.ts";
export {
  type PreparedScript,
  type PrepareOptions,
  type PrepareOutcome,
  prepareSource,
  type ScriptLanguage,
} from "./source/prepare.ts";
export type { SourceError } from "./source/source-error.ts";
export type { StripTypes } from "./source/typescript.ts";
