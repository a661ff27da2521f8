/**
 * What an orchestrator and Prometheus ask a worker. It reads nothing of a request but its method and path, gives each
 * connection one answer, and cuts off a client that is slow, or the oldest of too many.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

import { codeOf } from "../doctor/finding.ts";
import { messageOf } from "@nestbox/tool";
import { UsageError } from "../usage-error.ts";
import type { HealthAddress } from "./health-address.ts";

export interface HealthSources {
  /** Why no run should be given to this worker now; empty: it is ready. */
  readonly problems: () => readonly string[];
  /** In the text form of Prometheus. */
  readonly metrics: () => Promise<string>;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Limits of the health server; the how-to lists them. */
export const HEALTH_LIMITS = {
  /** Connections at a time; one more takes the place of the oldest. */
  maxConnections: 64,
  maxHeaderBytes: 8_192,
  /** How long a client may take to send its request. */
  requestMs: 5_000,
  /** How long the one answer of a connection may take, with the time that the client takes to read it. */
  answerMs: 5_000,
} as const;

/** Rejects with a `UsageError` where nothing can listen. */
export async function serveHealth(
  address: HealthAddress,
  sources: HealthSources,
  limits: { readonly [key in keyof typeof HEALTH_LIMITS]: number } = HEALTH_LIMITS,
): Promise<HealthServer> {
  const server = createServer(
    {
      maxHeaderSize: limits.maxHeaderBytes,
      headersTimeout: limits.requestMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
    },
    (request, response) => {
      patience.renew(request.socket, limits.answerMs);
      void answer(request, response, sources);
    },
  );
  const patience = createPatience(limits.maxConnections);
  // Each of several requests would have a time of its own: who sends them at once could be answered for ever.
  server.maxRequestsPerSocket = 1;
  server.on("connection", (socket) => patience.begin(socket, limits.requestMs));
  const bound = await listen(server, address);
  const name = bound.family === "IPv6" ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** How long connections have, and how many there are. What a client does with its time gives it no more of it. */
function createPatience(maxConnections: number) {
  // The oldest first.
  const timers = new Map<Socket, NodeJS.Timeout>();
  const cutOffAfter = (socket: Socket, ms: number): void => {
    clearTimeout(timers.get(socket));
    timers.set(
      socket,
      setTimeout(() => socket.destroy(), ms),
    );
  };
  return {
    begin(socket: Socket, ms: number): void {
      const [oldest] = timers.keys();
      if (oldest !== undefined && timers.size >= maxConnections) {
        drop(oldest);
        oldest.destroy();
      }
      cutOffAfter(socket, ms);
      socket.once("close", () => drop(socket));
    },
    renew(socket: Socket, ms: number): void {
      if (timers.has(socket)) cutOffAfter(socket, ms);
    },
  };

  function drop(socket: Socket): void {
    clearTimeout(timers.get(socket));
    timers.delete(socket);
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  sources: HealthSources,
): Promise<void> {
  const { status, body, type = "text/plain; charset=utf-8" } = await contentOf(request, sources);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (status === 405) response.setHeader("Allow", "GET, HEAD");
  // Also for whoever sends a body: it is sent to nobody.
  response.setHeader("Connection", "close");
  response.writeHead(status, { "Content-Type": type, "Content-Length": Buffer.byteLength(body) });
  response.end(request.method === "HEAD" ? undefined : body);
}

interface Content {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
}

async function contentOf(request: IncomingMessage, sources: HealthSources): Promise<Content> {
  const path = (request.url ?? "").split("?", 1)[0];
  if (path !== "/livez" && path !== "/readyz" && path !== "/metrics")
    return { status: 404, body: "There is /livez, /readyz and /metrics.\n" };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, body: "Only GET and HEAD.\n" };
  if (path === "/livez") return { status: 200, body: "ok\n" };
  try {
    if (path === "/metrics")
      return {
        status: 200,
        body: await sources.metrics(),
        type: "text/plain; version=0.0.4; charset=utf-8",
      };
    const problems = sources.problems();
    if (problems.length === 0) return { status: 200, body: "ready\n" };
    return { status: 503, body: `not ready: ${problems.join("; ")}\n` };
  } catch {
    return { status: 500, body: "This could not be answered.\n" };
  }
}

function listen(server: Server, { host, port }: HealthAddress): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause) => {
      const why = codeOf(cause) === "EADDRINUSE" ? "another program listens there" : messageOf(cause);
      reject(new UsageError(`--health ${host}:${port}: nothing can listen there: ${why}.`, { cause }));
    });
    // A server that listens at a port has such an address.
    server.listen({ host, port, exclusive: true }, () => resolve(server.address() as AddressInfo));
  });
}
