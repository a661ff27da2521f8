import { homedir } from "node:os";
import { delimiter } from "node:path";

import { createRedactor } from "@nestbox/tool";
import { defaultEnvAllow, runCommand, type CommandResult } from "@nestbox/tool/node";

import { binFolders, pathFolders, realFolder } from "./files.ts";
import type { ReviewEnvironment, ReviewToolsOptions } from "./options.ts";
import type { Command } from "./project/package.ts";

/** Where toolchains live and which of them is chosen; nothing that holds a secret. */
export const toolchainEnvAllow: readonly string[] = [
  ...defaultEnvAllow,
  "CARGO_HOME",
  "RUSTUP_HOME",
  "RUSTUP_TOOLCHAIN",
  "GOPATH",
  "GOROOT",
  "GOCACHE",
  "GOMODCACHE",
  "GOFLAGS",
  "GOPROXY",
  "GOTOOLCHAIN",
  "PYENV_ROOT",
  "PYENV_VERSION",
  "VIRTUAL_ENV",
  "CONDA_PREFIX",
  "NVM_DIR",
  "NVM_BIN",
  "FNM_DIR",
  "VOLTA_HOME",
  "ASDF_DIR",
  "ASDF_DATA_DIR",
  "MISE_*",
  "PNPM_HOME",
  "COREPACK_HOME",
  "BUN_INSTALL",
  "JAVA_HOME",
  "PLAYWRIGHT_BROWSERS_PATH",
  "NIX_*",
  "LD_LIBRARY_PATH",
  "DYLD_LIBRARY_PATH",
];

/** Nobody watches: no colours, no prompts, no questions about updates, snapshots are not written. */
const quiet: Readonly<Record<string, string>> = {
  CI: "1",
  NO_COLOR: "1",
  FORCE_COLOR: "0",
  npm_config_update_notifier: "false",
  npm_config_fund: "false",
  npm_config_audit: "false",
  NEXT_TELEMETRY_DISABLED: "1",
  TURBO_TELEMETRY_DISABLED: "1",
  PYTHONUNBUFFERED: "1",
};

export function createEnvironment(options: ReviewToolsOptions): ReviewEnvironment {
  const { dangers } = options;
  return {
    cwd: options.cwd,
    envAllow: [...toolchainEnvAllow, ...(options.envAllow ?? [])],
    env: options.env ?? {},
    redact: options.redact ?? createRedactor({ homes: [homedir()] }),
    outputFolder: options.outputFolder,
    dangers: typeof dangers === "function" ? dangers : () => dangers,
  };
}

/** The real path of the folder that a call works in: the host's, else the option's, else the process's. */
export async function workingFolder(environment: ReviewEnvironment, context: unknown): Promise<string> {
  const said: unknown =
    typeof context === "object" && context !== null && "cwd" in context ? context.cwd : undefined;
  return realFolder(typeof said === "string" && said !== "" ? said : (environment.cwd ?? process.cwd()));
}

export interface ProjectCommandOptions {
  readonly folder: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
}

/** Runs a command of the project: fixed program, argument array, no shell of ours (contract B9). */
export async function runProjectCommand(
  environment: ReviewEnvironment,
  command: Command,
  options: ProjectCommandOptions,
): Promise<CommandResult> {
  const path = [...binFolders(options.folder), ...pathFolders()].join(delimiter);
  return runCommand(command.file, command.args, {
    cwd: options.folder,
    envAllow: environment.envAllow,
    env: { ...quiet, PATH: path, ...environment.env, ...command.env, ...options.env },
    timeoutMs: options.timeoutMs,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(options.maxBytes === undefined ? {} : { maxBytes: options.maxBytes }),
    ...(environment.outputFolder === undefined ? {} : { outputFolder: environment.outputFolder }),
  });
}
