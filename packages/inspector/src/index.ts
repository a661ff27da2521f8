export type {
  CallStatus,
  Decision,
  LimitUse,
  OutputPiece,
  Run,
  RunCall,
  RunHead,
  RunScript,
} from "./model/run.ts";
export { readRun, type ReadRun } from "./model/read-run.ts";
export { InspectorError, type InspectorErrorCode } from "./error.ts";
