export { connectMcpServer, type ConnectedServer, type ConnectOptions, type McpEndpoint } from "./connect.ts";
export { serveMcpHttp, type HttpOptions, type McpHttpListener } from "./serve-http.ts";
export { serveMcpStdio, type McpListener, type StdioOptions } from "./serve-stdio.ts";
