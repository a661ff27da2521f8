import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type Tool,
} from "@modelcontextprotocol/server";
import type { CallableTool, ToolContent } from "@nestbox/tool";
import { createCallResult } from "./call-result.ts";
import { createProgressSender } from "./progress.ts";
import type { ServedHost } from "./served-host.ts";

export interface McpServerOptions {
  readonly name: string;
  readonly version: string;
  /** What a client tells its model. Default: the instructions of the served tools' namespaces. */
  readonly instructions?: string;
  /** Progress notifications of one call. Default 1,000; later ones are dropped. */
  readonly maxProgress?: number;
}

/** Makes one server for one connection or request: what the SDK's entries for stdio and HTTP ask for. */
export type McpFactory = () => Server;

/**
 * Serves the declared tools of a host: structured content, annotations, progress from updates, cancellation through
 * the call's signal. Every call goes through the host, so the host's gate decides it.
 */
export function createMcpFactory(host: ServedHost, options: McpServerOptions): McpFactory {
  return () => {
    const instructions = options.instructions ?? instructionsOf(host.declared());
    const server = new Server(
      { name: options.name, version: options.version },
      { capabilities: { tools: {} }, ...(instructions === "" ? {} : { instructions }) },
    );
    server.setRequestHandler("tools/list", () => ({ tools: host.declared().map(toolOf) }));
    server.setRequestHandler("tools/call", async ({ params }, { mcpReq }): Promise<CallToolResult> => {
      const tool = host.declared().find(({ name }) => name === params.name);
      if (tool === undefined)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool ${params.name} not found`);
      const progressToken = mcpReq._meta?.progressToken;
      const progress = createProgressSender(
        progressToken,
        (notification) => mcpReq.notify(notification),
        options.maxProgress,
      );
      const outcome = await host.call(params.name, params.arguments ?? {}, {
        signal: mcpReq.signal,
        onUpdate: (partial) => progress.send(textOf(partial.content)),
        actor: "agent",
      });
      // What was told of has to arrive before the result ends the request.
      await progress.settled();
      return server.projectCallToolResult(createCallResult(outcome, tool.outputSchema), outputSchemaOf(tool));
    });
    return server;
  };
}

function toolOf(tool: CallableTool): Tool {
  const outputSchema = outputSchemaOf(tool);
  return {
    name: tool.name,
    ...(tool.label === undefined ? {} : { title: tool.label }),
    description: tool.description,
    // The protocol wants an object at the root; a tool whose arguments are anything says so with an empty one.
    inputSchema: { ...tool.parameters, type: "object" },
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(tool.annotations === undefined ? {} : { annotations: { ...tool.annotations } }),
  };
}

/** Clients of the older revisions accept an object at the root only. */
function outputSchemaOf({ outputSchema }: CallableTool): Readonly<Record<string, unknown>> | undefined {
  if (outputSchema === undefined) return undefined;
  const schema = { ...outputSchema } as Readonly<Record<string, unknown>>;
  return schema["type"] === "object" ? schema : undefined;
}

function instructionsOf(tools: readonly CallableTool[]): string {
  const texts = tools.flatMap(({ namespace }) => namespace?.instructions ?? []);
  return [...new Set(texts)].join("\n\n");
}

function textOf(content: readonly ToolContent[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
