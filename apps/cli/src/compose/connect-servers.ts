import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import type { ToolHost } from "@nestbox/calls";
import type { ConnectedServer, McpEndpoint } from "@nestbox/mcp/node";
import { compileSchema, messageOf } from "@nestbox/tool";

import { UsageError } from "../usage-error.ts";

/** One server as clients write it down; keys of other clients are ignored. */
interface ServerEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const texts = { type: "object", additionalProperties: { type: "string" } } as const;
const schema = {
  type: "object",
  required: ["mcpServers"],
  properties: {
    mcpServers: {
      type: "object",
      maxProperties: 50,
      additionalProperties: {
        type: "object",
        properties: {
          command: { type: "string", minLength: 1 },
          args: { type: "array", items: { type: "string" } },
          env: texts,
          url: { type: "string", minLength: 1 },
          headers: texts,
        },
      },
    },
  },
} as const;

/** Connections that are open until they are disposed of. */
export type Connections = AsyncDisposable;

/**
 * Connects the servers of files in the usual `mcpServers` shape and registers their tools. One that cannot be reached
 * ends the command: a script that counts on it would fail in the middle. Throws `UsageError`.
 */
export async function connectServers(
  host: ToolHost,
  files: readonly string[],
  context: {
    readonly start: string;
    readonly signal: AbortSignal;
    /** Told of tools that cannot be used. */
    readonly warn: (message: string) => void;
  },
): Promise<Connections> {
  const { start, signal, warn } = context;
  const open: ConnectedServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(open.map((server) => server.close()));
  };
  try {
    for (const file of files) {
      // The protocol's packages take longer to load than most scripts run.
      const { connectMcpServer } = await import("@nestbox/mcp/node");
      for (const [name, entry] of Object.entries(readServers(file, start))) {
        const where = `--mcp ${file}: server ${JSON.stringify(name)}`;
        try {
          const server = await connectMcpServer({ server: name, endpoint: endpointOf(entry, where), signal });
          open.push(server);
          for (const tool of server.skipped) warn(`${where}: ${tool.name} is left out: ${tool.reason}`);
          for (const tool of server.tools) host.register(tool, { source: server.source });
        } catch (cause) {
          if (cause instanceof UsageError) throw cause;
          throw new UsageError(`${where}: ${messageOf(cause)}`, {
            cause,
          });
        }
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { [Symbol.asyncDispose]: close };
}

function readServers(file: string, start: string): Readonly<Record<string, ServerEntry>> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(start, file), "utf8"));
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new UsageError(`--mcp ${file}: ${missing ? "there is no such file" : (cause as Error).message}.`, {
      cause,
    });
  }
  const checked = compileSchema<object>(schema).check(value);
  if (!checked.ok) {
    const problems = checked.errors.map(({ path, message }) => `${path} ${message}`.trim());
    throw new UsageError(`--mcp ${file}: ${problems.join("; ")}.`);
  }
  // The schema says what the type says.
  return (checked.value as { readonly mcpServers: Readonly<Record<string, ServerEntry>> }).mcpServers;
}

function endpointOf({ command, args, env, url, headers }: ServerEntry, where: string): McpEndpoint {
  if (url !== undefined) return { kind: "http", url, ...(headers === undefined ? {} : { headers }) };
  if (command === undefined) throw new UsageError(`${where} has neither a command nor a url.`);
  return {
    kind: "stdio",
    command,
    ...(args === undefined ? {} : { args }),
    ...(env === undefined ? {} : { env }),
  };
}
