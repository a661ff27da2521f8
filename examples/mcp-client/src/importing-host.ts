import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { createToolHost, type ToolHost } from "@nestbox/calls";
import { connectMcpServer, type McpEndpoint } from "@nestbox/mcp/node";
import { createGate } from "@nestbox/policy";
import { openPolicy } from "@nestbox/policy/node";

const path = fileURLToPath(new URL("../imports.policy.jsonc", import.meta.url));

export interface ImportingHost extends AsyncDisposable {
  readonly host: ToolHost;
}

/** A host with the tools of an MCP server, and a policy of its own in front of them: a server's word decides nothing. */
export async function importingHost(server: string, endpoint: McpEndpoint): Promise<ImportingHost> {
  const cwd = process.cwd();
  const policy = openPolicy({ files: [{ path, layer: "user" }], home: homedir(), cwd });
  const gate = createGate({ engine: policy.engine, facts: policy.facts });
  const host = createToolHost({ cwd, gate, pauses: gate.pauses });
  const imported = await connectMcpServer({ server, endpoint, timeoutMs: 300_000 });
  for (const tool of imported.tools) host.register(tool, { source: imported.source });
  return {
    host,
    async [Symbol.asyncDispose]() {
      await host.close();
      await imported.close();
    },
  };
}
