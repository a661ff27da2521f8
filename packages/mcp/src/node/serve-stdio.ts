import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { Readable, Writable } from "node:stream";
import { createMcpFactory, type McpServerOptions } from "../server.ts";
import type { ServedHost } from "../served-host.ts";

export type StdioOptions = McpServerOptions & {
  /** Default: the process's own. Nothing else may write to its standard output. */
  readonly input?: Readable;
  readonly output?: Writable;
  /** Told of what went wrong outside of a call. */
  readonly onError?: (error: Error) => void;
};

export interface McpListener extends AsyncDisposable {
  /** Ends the connection; calls that run are aborted. */
  close(): Promise<void>;
}

/** Serves one client over standard input and output, until the client closes its end. */
export function serveMcpStdio(host: ServedHost, options: StdioOptions): McpListener {
  const transport = new StdioServerTransport(options.input, options.output);
  const handle = serveStdio(createMcpFactory(host, options), {
    transport,
    ...(options.onError === undefined ? {} : { onerror: options.onError }),
  });
  const close = (): Promise<void> => handle.close();
  return { close, [Symbol.asyncDispose]: close };
}
