export { commandEnv, defaultEnvAllow } from "./command-env.ts";
export {
  createOutputCollector,
  type CollectedOutput,
  type OutputCollector,
  type OutputCollectorOptions,
} from "./output-collector.ts";
export { openOutputFolder, type OutputFolder, type OutputFolderOptions } from "./output-folder.ts";
export {
  runCommand,
  type CommandChunk,
  type CommandEnd,
  type CommandResult,
  type RunCommandOptions,
} from "./run-command.ts";
