import type { ServedHost } from "@nestbox/mcp";
import type {
  CallableTool,
  JsonObject,
  ToolCallOutcome,
  ToolResult,
  ToolUpdateCallback,
} from "@nestbox/tool";

export interface FakeTool extends Partial<CallableTool> {
  readonly run: (
    args: JsonObject,
    extra: { readonly signal: AbortSignal; readonly onUpdate: ToolUpdateCallback },
  ) => ToolResult | Promise<ToolResult>;
}

/** The smallest host: it runs what it has, and refuses what `deny` names. */
export function fakeHost(
  tools: Readonly<Record<string, FakeTool>>,
  deny: readonly string[] = [],
): ServedHost & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    declared: () =>
      Object.entries(tools).map(([name, { run: _run, ...tool }]) => ({
        name,
        description: `The ${name} tool.`,
        parameters: { type: "object" },
        ...tool,
      })),
    async call(name, args, { signal, onUpdate, actor }): Promise<ToolCallOutcome> {
      asked.push([name, actor]);
      const toolCall = { type: "toolCall", id: "call-1", name, arguments: args as JsonObject } as const;
      const failed = (message: string): ToolCallOutcome => ({
        toolCall,
        result: text(message),
        isError: true,
      });
      if (deny.includes(name)) return failed(`Rule r: no ${name}`);
      try {
        const result = await tools[name]?.run(args as JsonObject, { signal, onUpdate });
        return result === undefined
          ? failed("not found")
          : { toolCall, result, isError: result.isError === true };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

export function text(value: string, more: Partial<ToolResult> = {}): ToolResult {
  return { content: [{ type: "text", text: value }], details: {}, ...more };
}
