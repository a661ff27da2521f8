import type { CallToolResult, Client, Tool } from "@modelcontextprotocol/client";
import {
  compileSchema,
  type JsonObject,
  type JsonValue,
  type RunnableTool,
  type ToolAnnotations,
  type ToolExposure,
  type ToolNamespace,
  type ToolResult,
  type ToolSource,
  type ToolUpdateCallback,
  modelTextLimits,
  shorten,
  truncateText,
} from "@nestbox/tool";
import { callToolResultSchema } from "./call-tool-result-schema.ts";
import { modelContent, type SaveOutput } from "./content.ts";
import { McpError } from "./error.ts";
import { foreignSchema } from "./foreign-schema.ts";
import { mcpNamespaceName, mcpToolNames } from "./names.ts";
import { orAborted } from "./or-aborted.ts";

/** Characters of a tool's description that a model is told. */
const maxDescriptionChars = 16_000;

export interface ImportOptions {
  /** The server's name as it was configured: policies compare this one, never the sanitized form. */
  readonly server: string;
  /** A connected client of `@modelcontextprotocol/client`. */
  readonly client: Client;
  /**
   * As in Pi's configuration: `codemode` and `deferred` both give tools that scripts find by search, `direct` declares
   * them, `hidden` withdraws them. Default `codemode`.
   */
  readonly exposure?: "codemode" | "deferred" | "direct" | "hidden";
  /** Exposures of single tools, by the server's own names. */
  readonly toolExposure?: Readonly<Record<string, "codemode" | "deferred" | "direct" | "hidden">>;
  /** Heads the list that scripts see. */
  readonly description?: string;
  /** Without an answer or progress for so long a call fails. Default 60,000. */
  readonly timeoutMs?: number;
  /** Keeps text that is too long for a model; its path then stands where the text was cut. */
  readonly saveOutput?: SaveOutput;
  /** Tools of the server that are read. Default 1,000. */
  readonly maxTools?: number;
  /** Ends the import as long as it is under way; what was imported has nothing to do with it any more. */
  readonly signal?: AbortSignal;
}

export interface ImportedServer {
  readonly namespace: ToolNamespace;
  /** For `host.register(tool, { source })`. */
  readonly source: ToolSource;
  readonly tools: readonly RunnableTool[];
  /** Tools that were left out, and why: their schema cannot be compiled, or would take too long to check. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * The tools of a connected MCP server as a namespace. What a script gets is the whole result of the call, with
 * `content`, `structuredContent` and `isError`, as it does in Pi. Throws `McpError` (`bad-server`).
 */
export async function importMcpServer(options: ImportOptions): Promise<ImportedServer> {
  const { server, client, signal, maxTools = 1_000 } = options;
  const { tools: listed } = await orAborted(signal, () =>
    client.listTools(undefined, signal === undefined ? {} : { signal }),
  );
  if (listed.length > maxTools)
    throw new McpError("bad-server", `MCP server "${server}" lists more than ${maxTools} tools`);
  const instructions = client.getInstructions();
  const namespace: ToolNamespace = {
    name: mcpNamespaceName(server),
    aliases: [server],
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(instructions === undefined ? {} : { instructions: truncateText(instructions, modelTextLimits).text }),
  };
  const names = mcpToolNames(
    server,
    listed.map(({ name }) => name),
  );
  const tools: RunnableTool[] = [];
  const skipped: { name: string; reason: string }[] = [];
  // A name that is listed twice is one tool.
  for (const tool of new Map(listed.map((one) => [one.name, one])).values()) {
    try {
      compileSchema(tool.inputSchema);
      const parameters = foreignSchema(tool.inputSchema);
      if (parameters === undefined) skipped.push({ name: tool.name, reason: "its schema is too complex" });
      else tools.push(toolOf(options, tool, names.get(tool.name) ?? tool.name, namespace, parameters));
    } catch (error) {
      skipped.push({ name: tool.name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return { namespace, source: { kind: "mcp", server }, tools, skipped };
}

function toolOf(
  options: ImportOptions,
  tool: Tool,
  name: string,
  namespace: ToolNamespace,
  parameters: object,
): RunnableTool {
  const { server, client, timeoutMs = 60_000 } = options;
  const annotations = annotationsOf(tool);
  const title = tool.title ?? tool.annotations?.title;
  const chosen =
    options.toolExposure !== undefined && Object.hasOwn(options.toolExposure, tool.name)
      ? options.toolExposure[tool.name]
      : options.exposure;
  const outputSchema = callToolResultSchema(tool.outputSchema && foreignSchema(tool.outputSchema));
  // A schema of the server's that cannot be compiled is not checked; its tool works all the same.
  const checked = compiles(outputSchema) ? outputSchema : callToolResultSchema(undefined);

  const execute = async (
    _callId: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback | undefined,
  ): Promise<ToolResult> => {
    const result = await orAborted(signal, () =>
      client.callTool(
        { name: tool.name, arguments: { ...params } },
        {
          timeout: timeoutMs,
          resetTimeoutOnProgress: true,
          ...(signal === undefined ? {} : { signal }),
          ...(onUpdate === undefined
            ? {}
            : {
                onprogress: ({ progress, total, message }) => {
                  const text = message ?? `Progress ${progress}${total === undefined ? "" : `/${total}`}`;
                  onUpdate({ content: [{ type: "text", text }], details: { server, tool: tool.name } });
                },
              }),
        },
      ),
    );
    return resultOf(options, tool.name, result);
  };

  return {
    name,
    label: `${server}/${tool.name}`,
    description: shorten(
      tool.description?.trim() || title || `MCP tool ${tool.name} from server ${server}`,
      maxDescriptionChars,
    ),
    parameters,
    outputSchema: checked,
    exposure: toolExposure(chosen ?? "codemode"),
    namespace,
    ...(annotations === undefined ? {} : { annotations }),
    execute,
  };
}

function toolExposure(exposure: NonNullable<ImportOptions["exposure"]>): ToolExposure {
  return exposure === "codemode" ? "deferred" : exposure;
}

async function resultOf(options: ImportOptions, tool: string, result: CallToolResult): Promise<ToolResult> {
  const { server, saveOutput } = options;
  const content = await modelContent(result, saveOutput);
  const failed = result.isError === true;
  if (failed && content.every((block) => block.type !== "text" || block.text === "")) {
    content.push({ type: "text", text: `MCP tool ${server}/${tool} returned an error` });
  }
  const { _meta: _ours, ...forScripts } = result;
  return {
    content,
    details: { server, tool },
    // It came as JSON, so it is JSON.
    structuredContent: forScripts as unknown as JsonValue,
    ...(failed ? { isError: true } : {}),
  };
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Only booleans: what a server says of itself is believed no further than it can be read. */
function annotationsOf({ annotations }: Tool): ToolAnnotations | undefined {
  const entries = hints.flatMap((hint) =>
    typeof annotations?.[hint] === "boolean" ? [[hint, annotations[hint]] as const] : [],
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

function compiles(schema: object): boolean {
  try {
    compileSchema(schema);
    return true;
  } catch {
    return false;
  }
}
