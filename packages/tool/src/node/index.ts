export { commandEnv, defaultEnvAllow } from "./command-env.ts";
export {
  changeInside,
  openInside,
  openResolved,
  readInside,
  type ChangeInsideOptions,
  type HeldFile,
  type OpenInsideOptions,
} from "./held-file.ts";
export { createHostRedactor, type HostRedactorOptions } from "./host-redactor.ts";
export {
  requireInside,
  resolveInside,
  type InsidePath,
  type RefusedPath,
  type RefusedPathReason,
} from "./inside-path.ts";
export {
  createOutputCollector,
  type CollectedOutput,
  type OutputCollector,
  type OutputCollectorOptions,
} from "./output-collector.ts";
export { commandText, modelText, type ModelText, type ModelTextOptions } from "./model-text.ts";
export { openOutputFolder, type OutputFolder, type OutputFolderOptions } from "./output-folder.ts";
export {
  runCommand,
  type CommandChunk,
  type CommandEnd,
  type CommandResult,
  type RunCommandOptions,
} from "./run-command.ts";
