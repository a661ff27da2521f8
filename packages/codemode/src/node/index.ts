export { createRunner, type CreateRunnerOptions } from "./create-runner.ts";
export { findNode, type FindNodeOptions } from "./find-node.ts";
