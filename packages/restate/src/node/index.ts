export { openBlobFolder } from "./blob-folder.ts";
export type { Carrier } from "./run-workflow.ts";
export { startWorker, type Worker, type WorkerOptions } from "./worker.ts";
