export { renderTracePage } from "./render.ts";
export { type Inspector, type InspectorOptions, serveInspector } from "./serve.ts";
export { readTraceFile, type RunSource, type TraceFilesOptions, watchTraceFiles } from "./trace-files.ts";
