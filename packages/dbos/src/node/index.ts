export type { Carrier } from "./carry-on.ts";
export type { EntriesOptions, RunEntries, StepEntry, WaitEntry } from "./entries.ts";
export { type DbosOptions, type DbosQuestion, type DbosRun, type DbosRuns, openDbos } from "./runs.ts";
export { startWorker, type Worker, type WorkerOptions } from "./worker.ts";
