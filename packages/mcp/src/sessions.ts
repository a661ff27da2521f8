import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import type { McpFactory } from "./server.ts";

export interface SessionOptions {
  /** Sessions at a time; a new one ends the one unused for longest. */
  readonly maxSessions: number;
  readonly maxRequestBytes: number;
  readonly createId: () => string;
}

export interface Sessions {
  /** Answers one request of a client that speaks a revision with sessions (before 2026-07-28). */
  fetch(request: Request): Promise<Response>;
  /** Ends every session; calls that run are aborted. */
  close(): Promise<void>;
}

/**
 * Sessions for clients of the older revisions. Without them such a client could not cancel: its cancellation is a
 * request of its own, which has to reach the server that runs the call.
 */
export function createSessions(factory: McpFactory, options: SessionOptions): Sessions {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  let isClosed = false;

  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: options.createId,
      maxRequestBodySize: options.maxRequestBytes,
      onsessioninitialized: async (sessionId): Promise<void> => {
        // Nobody would end it, nor the calls that its client makes.
        if (isClosed) return await transport.close();
        transports.set(sessionId, transport);
        if (transports.size <= options.maxSessions) return;
        const [oldest] = transports;
        if (oldest === undefined) return;
        transports.delete(oldest[0]);
        await oldest[1].close();
      },
      onsessionclosed: (sessionId) => void transports.delete(sessionId),
    });
    await factory().connect(transport);
    return transport;
  };

  return {
    async fetch(request) {
      if (isClosed) return new Response("The server closes", { status: 503 });
      const sessionId = request.headers.get("mcp-session-id");
      if (sessionId === null) {
        const transport = await open();
        const response = await transport.handleRequest(request);
        // Whatever was no `initialize` began no session, and its server is of no use to anybody.
        if (transport.sessionId === undefined || !transports.has(transport.sessionId))
          await transport.close();
        return response;
      }
      const transport = transports.get(sessionId);
      if (transport === undefined) return new Response("Session not found", { status: 404 });
      // Moved to the end: the first of the map is the one unused for longest.
      transports.delete(sessionId);
      transports.set(sessionId, transport);
      return transport.handleRequest(request);
    },
    async close() {
      isClosed = true;
      const open = [...transports.values()];
      transports.clear();
      await Promise.all(open.map((transport) => transport.close()));
    },
  };
}
