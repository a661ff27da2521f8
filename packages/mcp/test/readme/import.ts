import type { RunnableTool, ToolSource } from "@nestbox/tool";

declare const url: string;
declare const token: string;
declare const registry: {
  register(tool: RunnableTool, options: { readonly source: ToolSource }): void;
};

// README
import { connectMcpServer } from "@nestbox/mcp/node";

const docs = await connectMcpServer({
  server: "docs",
  endpoint: { kind: "http", url, headers: { Authorization: `Bearer ${token}` } },
  // or { kind: "stdio", command: "docs-server", args: ["--fast"] }: no shell, and not the whole environment
});
for (const tool of docs.tools) registry.register(tool, { source: docs.source });
await docs.close();
// README
