import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { missingTools } from "@nestbox/tool/pi";

import { tell } from "./tell.ts";

/** A tool that was left to somebody else's extension. */
export interface LeftOut {
  readonly name: string;
  /** Path of the extension whose tool is used. */
  readonly owner: string;
}

/** What became of the tools that waited. */
export interface Registered {
  readonly left: readonly LeftOut[];
  /** Registered, and not there: the session's lists of tools leave them out (contract B13). */
  readonly missing: readonly string[];
}

export interface LateTools {
  /** `pi` for parts that register tools while they load: their tools wait for {@link register}. */
  readonly pi: ExtensionAPI;
  /**
   * Registers what waits and is wanted, except the names that another extension has: two extensions with one tool
   * name end the command line when both register while they load. Pi's own tools are replaced.
   */
  register(wanted: (name: string) => boolean): Registered;
  /** The tools that this extension brought into the session, by name. */
  readonly own: ReadonlyMap<string, ToolDefinition>;
}

/** Holds back the tools of one load of the extension until every other extension has registered its own. */
export function createLateTools(pi: ExtensionAPI): LateTools {
  const waiting = new Map<string, ToolDefinition>();
  const own = new Map<string, ToolDefinition>();
  const late: ExtensionAPI = Object.create(pi, {
    registerTool: { value: (tool: ToolDefinition) => void waiting.set(tool.name, tool) },
  });
  return {
    pi: late,
    own,
    register(wanted) {
      const owners = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
      const left: LeftOut[] = [];
      for (const [name, tool] of waiting) {
        if (!wanted(name)) continue;
        const owner = owners.get(name);
        if (owner === undefined || owner.source === "builtin" || owner.path.startsWith("builtin:")) {
          pi.registerTool(tool);
          own.set(name, tool);
        } else left.push({ name, owner: owner.path });
      }
      waiting.clear();
      const missing = missingTools(pi, [...own.keys()]);
      for (const name of missing) own.delete(name);
      return { left, missing };
    },
  };
}

/** Tells whose tools are used, and which of ours the session's lists leave out. */
export function tellRegistered(
  { left, missing }: Registered,
  context: Pick<ExtensionContext, "hasUI" | "ui">,
): void {
  for (const [owner, tools] of Map.groupBy(left, ({ owner }) => owner)) {
    const [are, them] = tools.length === 1 ? ["is", "it"] : ["are", "them"];
    const names = tools.map(({ name }) => name).join(", ");
    tell(
      context,
      `Nestbox: ${names} ${are} registered by ${owner}, so Nestbox leaves ${them} to that extension.`,
      "warning",
    );
  }
  if (missing.length > 0) {
    const are = missing.length === 1 ? "is" : "are";
    tell(
      context,
      `Nestbox: ${missing.join(", ")} ${are} left out by this session's lists of tools; everything else works without.`,
    );
  }
}
