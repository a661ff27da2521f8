import type { ExtensionAPI, ExtensionContext, ToolDefinition } from "@earendil-works/pi-coding-agent";

/** A tool that was left to somebody else's extension. */
export interface LeftOut {
  readonly name: string;
  /** Path of the extension whose tool is used. */
  readonly owner: string;
}

export interface LateTools {
  /** `pi` for parts that register tools while they load: their tools wait for {@link register}. */
  readonly pi: ExtensionAPI;
  /**
   * Registers what waits, except the names that another extension has: two extensions with one tool name end the
   * command line when both register while they load. Pi's own tools are replaced.
   */
  register(): readonly LeftOut[];
}

/** Holds back the tools of one load of the extension until every other extension has registered its own. */
export function createLateTools(pi: ExtensionAPI): LateTools {
  const waiting = new Map<string, () => void>();
  const late: ExtensionAPI = Object.create(pi, {
    registerTool: {
      value: (tool: ToolDefinition) => void waiting.set(tool.name, () => pi.registerTool(tool)),
    },
  });
  return {
    pi: late,
    register() {
      const owners = new Map(pi.getAllTools().map((tool) => [tool.name, tool.sourceInfo]));
      const left: LeftOut[] = [];
      for (const [name, register] of waiting) {
        const owner = owners.get(name);
        if (owner === undefined || owner.source === "builtin" || owner.path.startsWith("builtin:"))
          register();
        else left.push({ name, owner: owner.path });
      }
      waiting.clear();
      return left;
    },
  };
}

/** Tells a person, or standard error where there is none, whose tools are used. */
export function tellLeftOut(left: readonly LeftOut[], context: ExtensionContext): void {
  if (left.length === 0) return;
  const byOwner = Map.groupBy(left, ({ owner }) => owner);
  for (const [owner, tools] of byOwner) {
    const names = tools.map(({ name }) => name).join(", ");
    const message = `Nestbox: ${names} ${tools.length === 1 ? "is" : "are"} registered by ${owner}, so Nestbox leaves ${tools.length === 1 ? "it" : "them"} to that extension.`;
    if (context.hasUI) context.ui.notify(message, "warning");
    else console.error(message);
  }
}
