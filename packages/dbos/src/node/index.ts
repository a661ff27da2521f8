export type { Carrier } from "./carry-on.ts";
export { type DbosOptions, type DbosQuestion, type DbosRun, type DbosRuns, openDbos } from "./runs.ts";
export { startWorker, type Worker, type WorkerOptions } from "./worker.ts";
