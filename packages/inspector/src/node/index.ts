export { renderTracePage } from "./render.ts";
export { type Inspector, type InspectorOptions, serveInspector } from "./serve.ts";
export type { FleetSource, RunSource } from "./source.ts";
export { readTraceFile, type TraceFilesOptions, watchTraceFiles } from "./trace-files.ts";
