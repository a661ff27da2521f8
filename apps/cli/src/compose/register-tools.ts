import type { ToolHost } from "@nestbox/calls";
import { dangers } from "@nestbox/policy";
import type { OpenPolicy } from "@nestbox/policy/node";
import { createReviewTools } from "@nestbox/review/node";

import { UsageError } from "../usage-error.ts";
import { loadToolModule } from "./load-tools.ts";
import { messageOf } from "../message-of.ts";

export interface ToolChoice {
  /** Modules of tools, relative to `start`; absent: the review tools. */
  readonly tools?: readonly string[];
  readonly start: string;
  readonly cwd: string;
}

/** Registers the tools that a command line names. Throws `UsageError` for a module that is none. */
export async function registerTools(host: ToolHost, choice: ToolChoice, policy: OpenPolicy): Promise<void> {
  const { tools: modules, start, cwd } = choice;
  if (modules === undefined) {
    for (const tool of createReviewTools({ dangers: () => dangers(policy.layers()), cwd }))
      host.register(tool, { source: { kind: "module" } });
    return;
  }
  const loaded = await Promise.all(modules.map((name) => loadToolModule(name, start)));
  for (const [index, tools] of loaded.entries()) {
    const path = modules[index];
    for (const tool of tools) {
      try {
        host.register(tool, { source: { kind: "module", ...(path === undefined ? {} : { path }) } });
      } catch (cause) {
        // Refused by the host: a name that two modules claim, a schema that is none.
        throw new UsageError(`--tools ${path}: ${messageOf(cause)}`, {
          cause,
        });
      }
    }
  }
}
