export type { SaveOutput } from "./content.ts";
export { McpError, type McpErrorCode } from "./error.ts";
export { importMcpServer, type ImportedServer, type ImportOptions } from "./import-server.ts";
export { mcpNamespaceName, mcpToolNames } from "./names.ts";
export type { ServedHost } from "./served-host.ts";
export { createMcpFactory, type McpFactory, type McpServerOptions } from "./server.ts";
