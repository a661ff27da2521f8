import type {
  CallDecision,
  CallableTool,
  JsonObject,
  PauseSource,
  ToolCallOutcome,
  ToolCaller,
  ToolResult,
} from "@nestbox/tool";

export interface FakeTool extends Partial<CallableTool> {
  readonly name: string;
  /** Throws for a failure; the text of what it throws is the tool's error text. */
  readonly run?: (args: JsonObject, signal: AbortSignal | undefined) => unknown;
  readonly deny?: CallDecision;
}

export interface FakeCaller extends ToolCaller {
  readonly made: { readonly name: string; readonly args: unknown }[];
}

const any = { type: "object" };

/** A caller as a host gives it: nested ids, structured content where the tool declares a schema. */
export function fakeCaller(tools: readonly FakeTool[], pauses?: PauseSource): FakeCaller {
  const made: { name: string; args: unknown }[] = [];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    made,
    tools: tools.map((tool) => ({
      description: `The tool ${tool.name}`,
      parameters: any,
      outputSchema: any,
      ...tool,
    })),
    ...(pauses === undefined ? {} : { pauses }),
    async executeTool(name, args, options): Promise<ToolCallOutcome> {
      made.push({ name, args });
      const toolCall = {
        type: "toolCall" as const,
        id: `root/${made.length}`,
        name,
        arguments: (args ?? {}) as JsonObject,
      };
      const tool = byName.get(name);
      if (tool === undefined) return { toolCall, result: failed(`Tool ${name} not found`), isError: true };
      if (tool.deny !== undefined) {
        return { toolCall, result: failed(`Blocked: ${tool.deny.rule}`), isError: true, decision: tool.deny };
      }
      const started = performance.now();
      try {
        const value = await tool.run?.((args ?? {}) as JsonObject, options?.signal);
        const text =
          typeof value === "string"
            ? value
            : tool.outputSchema === undefined && "outputSchema" in tool
              ? JSON.stringify(value)
              : "structured";
        const result = {
          content: [{ type: "text" as const, text }],
          details: {},
          structuredContent: value as never,
        };
        return { toolCall, result, isError: false, durationMs: performance.now() - started };
      } catch (error) {
        const { name: kind, message, code, data } = error as Error & { code?: unknown; data?: unknown };
        const result = { ...failed(message), details: { name: kind, code, data } };
        return { toolCall, result, isError: true, durationMs: performance.now() - started };
      }
    },
  };
}

function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

/** The tools that the shared cases name. */
export const CASE_TOOLS: readonly FakeTool[] = [
  { name: "noop", run: ({ i }) => ({ i: i ?? 0 }) },
  { name: "echo", run: (args) => args },
  {
    name: "wait300",
    run: () => new Promise((resolve) => setTimeout(() => resolve({ waited: true }), 300)),
  },
  {
    name: "fail",
    run: () => {
      throw Object.assign(new TypeError("tool exploded"), { code: "E_TOOL", data: { status: 404 } });
    },
  },
];
