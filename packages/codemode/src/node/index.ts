export { createRunner, type CreateRunnerOptions } from "./create-runner.ts";
export { findNode, type FindNodeOptions } from "./find-node.ts";
export {
  type CheckRequest,
  createScriptChecker,
  type ScriptChecker,
  type ScriptCheckerOptions,
} from "../check/node/script-checker.ts";
export { createTempFiles, type TempFilesOptions } from "../output/node/temp-files.ts";
