import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { UsageError } from "../usage-error.ts";
import { readConfig } from "./read-config.ts";
import type { Config } from "./schema.ts";

export const CONFIG_FILE = "nestbox.config.jsonc";

export interface LoadedConfig {
  readonly config: Config;
  readonly file?: string;
  /** Named by the person, not found: what it says is what they say. */
  readonly named: boolean;
}

/**
 * The config file that is named, else the one in the folder where the command was started, else nothing. Paths are
 * absolute afterwards. Throws `UsageError`.
 */
export function loadConfig(given: string | undefined, start: string): LoadedConfig {
  const file = resolve(start, given ?? CONFIG_FILE);
  const named = given !== undefined;
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (!named && code === "ENOENT") return { config: {}, named };
    throw new UsageError(
      `Config ${given ?? CONFIG_FILE}: ${code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`}.`,
      { cause },
    );
  }
  const config = readConfig(text, given ?? CONFIG_FILE);
  const here = (path: string): string => resolve(dirname(file), path);
  return {
    file,
    named,
    config: {
      ...config,
      // A name that is neither a path nor a file beside the config is a package.
      ...(config.tools === undefined
        ? {}
        : {
            tools: config.tools.map((name) => (/^[./]/.test(name) || isFile(here(name)) ? here(name) : name)),
          }),
      ...(config.extension === undefined ? {} : { extension: config.extension.map(here) }),
      ...(config.policy === undefined ? {} : { policy: config.policy.map(here) }),
      ...(config.node === undefined ? {} : { node: here(config.node) }),
      ...(config.fleet?.blobs === undefined
        ? {}
        : { fleet: { ...config.fleet, blobs: here(config.fleet.blobs) } }),
    },
  };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
