import { hostHeaderValidation, originValidation, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, isLegacyRequest } from "@modelcontextprotocol/server";
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { McpError } from "../error.ts";
import { createMcpFactory, type McpServerOptions } from "../server.ts";
import type { ServedHost } from "../served-host.ts";
import { createSessions } from "../sessions.ts";
import type { McpListener } from "./serve-stdio.ts";

export type HttpOptions = McpServerOptions & {
  /** 0 lets the system choose. */
  readonly port: number;
  /** Default `127.0.0.1`. Anything but this machine needs a `token`. */
  readonly hostname?: string;
  /** Default `/mcp`. */
  readonly path?: string;
  /** At least 16 characters. Clients send it as `Authorization: Bearer <token>`. */
  readonly token?: string;
  /** Host names, without port, that requests may be addressed to. Default: this machine's and `hostname`. */
  readonly allowedHosts?: readonly string[];
  /** Bytes of a request. Default 4 MiB. */
  readonly maxRequestBytes?: number;
  /** Sessions of clients that need one, at a time; a new one ends the one unused for longest. Default 64. */
  readonly maxSessions?: number;
  readonly onError?: (error: Error) => void;
};

export interface McpHttpListener extends McpListener {
  /** With the port that was chosen. */
  readonly url: string;
}

const loopback: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "::1"]);

/**
 * Serves clients over streamable HTTP. Requests that a web page could make a browser send are refused: the `Host` and
 * `Origin` headers have to name an allowed host. Throws `McpError` (`unsafe-binding`, `invalid-option`).
 */
export async function serveMcpHttp(host: ServedHost, options: HttpOptions): Promise<McpHttpListener> {
  const {
    hostname = "127.0.0.1",
    path = "/mcp",
    token,
    maxRequestBytes = 4 * 1024 * 1024,
    maxSessions = 64,
  } = options;
  if (token === undefined && !loopback.has(hostname)) {
    throw new McpError(
      "unsafe-binding",
      `Serving on ${hostname} needs a token: others than this machine can reach it`,
    );
  }
  if (token !== undefined && token.length < 16)
    throw new McpError("invalid-option", "A token has at least 16 characters");

  const allowed = [...(options.allowedHosts ?? ["localhost", "127.0.0.1", "[::1]", bracketed(hostname)])];
  const onError = options.onError === undefined ? {} : { onerror: options.onError };
  const factory = createMcpFactory(host, options);
  const handler = createMcpHandler(factory, {
    legacy: "reject",
    maxRequestBodySize: maxRequestBytes,
    ...onError,
  });
  const sessions = createSessions(factory, { maxSessions, maxRequestBytes, createId: randomUUID });
  const fetch = async (request: Request): Promise<Response> =>
    (await isLegacyRequest(request, undefined, { maxRequestBodySize: maxRequestBytes }))
      ? sessions.fetch(request)
      : handler.fetch(request);
  const serve = toNodeHandler({ fetch }, { maxRequestBodySize: maxRequestBytes, ...onError });
  const validHost = hostHeaderValidation(allowed);
  const validOrigin = originValidation(allowed);

  const server = createServer((request, response) => {
    if (!validHost(request, response) || !validOrigin(request, response)) return;
    if (pathOf(request) !== path) return refuse(response, 404, "Not found");
    if (token !== undefined && !bears(request, token)) return refuse(response, 401, "Unauthorized");
    serve(request, response).catch((error: unknown) => {
      options.onError?.(error instanceof Error ? error : new Error(String(error)));
      response.destroy();
    });
  });
  await listen(server, options.port, hostname);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : options.port;

  const close = async (): Promise<void> => {
    await Promise.all([handler.close(), sessions.close()]);
    // Streams that clients keep open would hold the server for ever.
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://${bracketed(hostname)}:${port}${path}`, close, [Symbol.asyncDispose]: close };
}

function listen(server: Server, port: number, hostname: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, hostname, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function refuse(response: ServerResponse, status: number, text: string): void {
  const challenge = status === 401 ? { "WWW-Authenticate": "Bearer" } : {};
  response.writeHead(status, { "Content-Type": "text/plain", Connection: "close", ...challenge }).end(text);
}

function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0] ?? "/";
}

/** Compares digests, so that time says nothing about the token. */
function bears({ headers }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(headers.authorization ?? ""), digest(`Bearer ${token}`));
}

function bracketed(hostname: string): string {
  return hostname.includes(":") ? `[${hostname}]` : hostname;
}
