export type { FleetEntry, FleetHead, FleetList, FleetState, OpenQuestion } from "./model/fleet.ts";
export { newestFirst } from "./model/fleet.ts";
export type {
  CallStatus,
  CallWait,
  Decision,
  LimitUse,
  OutputPiece,
  Run,
  RunCall,
  RunHead,
  RunScript,
  RunStanding,
} from "./model/run.ts";
export { readRun, type ReadRun } from "./model/read-run.ts";
export { InspectorError, type InspectorErrorCode } from "./error.ts";
