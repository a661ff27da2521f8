export type { ColumnShift } from "./source/edits.ts";
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
