import { DEFAULT_LIMITS } from "@nestbox/codemode";

import type { PolicyFiles } from "../compose/gate.ts";
import { UsageError } from "../usage-error.ts";
import { CONFIG_FILE, type LoadedConfig, loadConfig } from "./load-config.ts";
import type { Config } from "./schema.ts";

/** The options that a config file can give defaults for, as the command line gives them. */
export interface ConfiguredOptions extends Config {
  readonly config?: string;
}

export type WithConfig<T extends ConfiguredOptions> = ConfiguredOptions &
  T & {
    /** The files of the command line or of the config, by the layer for which they speak. */
    readonly policyFiles: PolicyFiles;
  };

/**
 * Options with the defaults of the config file behind them. A file that is only found may belong to a stranger's
 * repository: it starts nothing and loosens nothing. Throws `UsageError`.
 */
export function withConfig<T extends ConfiguredOptions>(options: T, start: string): WithConfig<T> {
  const loaded = loadConfig(options.config, start);
  for (const key of ["tools", "extension", "node"] as const) {
    if (!loaded.named && loaded.config[key] !== undefined && options[key] === undefined)
      throw new UsageError(
        `${CONFIG_FILE} names ${key}: programs that would have all of your rights. Where you trust it, say so: --config ${CONFIG_FILE}`,
      );
  }
  const { memoryMb = 0 } = loaded.config;
  // Of wall time a script has no limit without it, so that any is a lower one.
  if (!loaded.named && memoryMb > DEFAULT_LIMITS.memoryMb && options.memoryMb === undefined)
    throw new UsageError(
      `${CONFIG_FILE} gives scripts ${memoryMb} MB of memory, more than the ${DEFAULT_LIMITS.memoryMb} that they have without it. Where you trust it, say so: --config ${CONFIG_FILE}`,
    );
  const { policy: _policy, ...defaults } = loaded.config;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  // What was given lies over what the file says; the types of both are the same.
  return { ...defaults, ...(given as T), policyFiles: policyFiles(options, loaded) };
}

function policyFiles(options: ConfiguredOptions, { config, named }: LoadedConfig): PolicyFiles {
  const user = options.policy ?? (named ? config.policy : undefined);
  const project = named ? undefined : config.policy;
  return {
    ...(user === undefined ? {} : { policy: user }),
    ...(project === undefined ? {} : { project }),
    ...(config.policy === undefined
      ? {}
      : { configured: { file: options.config ?? CONFIG_FILE, paths: config.policy } }),
  };
}
