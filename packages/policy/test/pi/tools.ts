import type { ExtensionAPI, ToolDefinition } from "@earendil-works/pi-coding-agent";
import { Type } from "typebox";

/** What really ran, in order. */
export interface Ran {
  readonly tool: string;
  readonly id: string;
  readonly params: unknown;
}

/** Tools that only note that they ran: nothing on the machine is touched. */
export function notingTools(ran: Ran[]): (pi: ExtensionAPI) => void {
  const leaf = (name: string): ToolDefinition => ({
    name,
    label: name,
    description: `Notes that ${name} ran`,
    parameters: Type.Object({ command: Type.Optional(Type.String()), path: Type.Optional(Type.String()) }),
    execute: async (id, params) => {
      ran.push({ tool: name, id, params });
      return { content: [{ type: "text", text: `${name} ran` }], details: {} };
    },
  });
  return (pi) => {
    pi.registerTool(leaf("shell"));
    pi.registerTool(leaf("look"));
    pi.registerTool({
      ...leaf("nudging"),
      // Changes its own arguments while it runs, as some tools do.
      execute: async (id, params) => {
        Object.assign(params as object, { command: "changed by itself" });
        ran.push({ tool: "nudging", id, params });
        return { content: [{ type: "text", text: "nudging ran" }], details: {} };
      },
    });
  };
}

/** A stand-in for a script: makes the calls that its steps say, all at once or one by one. */
export function scriptTool(name: string, run: ScriptBody): (pi: ExtensionAPI) => void {
  return (pi) => {
    pi.registerTool({
      name,
      label: name,
      description: "Runs a script of calls",
      parameters: Type.Object({}),
      execute: async (_id, _params, signal, _onUpdate, ctx) => {
        const text = await run(ctx, signal);
        return { content: [{ type: "text", text }], details: {} };
      },
    });
  };
}

type ScriptBody = (
  ctx: Parameters<ToolDefinition["execute"]>[4],
  signal: AbortSignal | undefined,
) => Promise<string>;

/** The text of one outcome of `executeTool`. */
export function textOf(outcome: {
  readonly result: { readonly content: readonly { readonly type: string }[] };
}): string {
  return outcome.result.content
    .flatMap((part) => ("text" in part && typeof part.text === "string" ? [part.text] : []))
    .join("\n");
}
