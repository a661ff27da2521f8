import { createToolHost, type RegisteredTool } from "@nestbox/calls";
import { createDiscovery, type Discovery } from "@nestbox/codemode";
import type { CallableTool } from "@nestbox/tool";

import { withConfig } from "../config/with-config.ts";
import { openCommandPolicy } from "./gate.ts";
import { registerTools } from "./register-tools.ts";
import { workingFolder } from "./working-folder.ts";

export interface CatalogOptions {
  readonly tools?: readonly string[];
  readonly extension?: readonly string[];
  readonly cwd?: string;
  readonly config?: string;
}

/** The tools of a command line, to be read and not to be called. */
export interface Catalog {
  /** All that can be reached by a model or by a script, in the order of registration. */
  readonly tools: readonly RegisteredTool[];
  /** What scripts can call. */
  readonly callable: readonly CallableTool[];
  readonly discovery: Discovery;
}

/** Nothing is called. Extensions are loaded, which runs what they do when a session starts. */
export async function openCatalog(
  given: CatalogOptions,
  warn: (message: string) => void,
  signal: AbortSignal,
): Promise<Catalog> {
  const start = process.cwd();
  const options = withConfig(given, start);
  const cwd = workingFolder(options.cwd, start);
  await using host = createToolHost({ cwd });
  const policy = openCommandPolicy({}, start, cwd);
  await using _extensions = await registerTools(host, options, { start, cwd, policy, signal, warn });
  const callable = host.callable();
  return {
    tools: host.registered().filter((tool) => tool.exposure !== "hidden"),
    callable,
    discovery: createDiscovery(callable),
  };
}
