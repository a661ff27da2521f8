/**
 * The server of a live page: bound to this machine, it answers with one page and one event stream, to whoever knows
 * the token. It reads no file by a name that a request chose.
 */
import { randomBytes } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { InspectorError } from "../error.ts";
import { contentPolicy, pageHtml } from "../html.ts";
import { createBroadcast } from "./broadcast.ts";
import { type Feed, fleetFeed, runsFeed } from "./feed.ts";
import { admit } from "./guard.ts";
import { pageAssets } from "./page-assets.ts";
import type { FleetSource, RunSource } from "./source.ts";

const MIN_TOKEN_CHARS = 16;
/** Larger request heads are refused; a browser's are far smaller. */
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** Connections at a time. */
const MAX_CONNECTIONS = 64;

/** Of one of the two: the runs that it shows, or the fleet whose runs it lists and opens. */
export type InspectorOptions = ServerOptions &
  (
    | { readonly source: RunSource; readonly fleet?: undefined }
    | { readonly fleet: FleetSource; readonly source?: undefined }
  );

export interface ServerOptions {
  /** Default 0: the system chooses. */
  readonly port?: number;
  /** What the address has to hold, at least 16 characters of base64url. Default: 32 random ones. */
  readonly token?: string;
}

export interface Inspector {
  /** The page, token included: whoever knows it sees the traces. */
  readonly url: string;
  /** Ends every stream and frees the port. */
  close(): Promise<void>;
}

/** Serves the page on 127.0.0.1. Throws {@link InspectorError} when it cannot. */
export async function serveInspector(options: InspectorOptions): Promise<Inspector> {
  const { source, fleet, port: wanted = 0, token = randomBytes(24).toString("base64url") } = options;
  if (!/^[\w-]+$/.test(token) || token.length < MIN_TOKEN_CHARS)
    throw new InspectorError("misuse", `A token has at least ${MIN_TOKEN_CHARS} letters, digits, - or _.`);
  const assets = await pageAssets();
  const policy = contentPolicy(assets, true);
  const broadcast = createBroadcast(
    fleet === undefined
      ? (what) => (what === undefined ? runsFeed(source) : undefined)
      : (what) => feedOf(fleet, what),
  );
  const page =
    fleet === undefined
      ? pageHtml(assets, `Trace: ${namesOf(source)}`, { mode: "live" })
      : pageHtml(assets, `Fleet: ${fleet.list().name}`, { mode: "fleet" });
  let port = wanted;

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    const admission = admit(request, { port, token });
    setHeaders(response, policy);
    request.resume();
    if (admission.kind === "refused") {
      if (admission.status === 405) response.setHeader("Allow", "GET, HEAD");
      response.writeHead(admission.status, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(`${admission.message}\n`);
    } else if (request.method === "HEAD") {
      response.writeHead(200).end();
    } else if (admission.kind === "page") {
      response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(page);
    } else {
      const added = broadcast.add(response, admission.run);
      if (added === "added") return;
      response.writeHead(added === "full" ? 503 : 404, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(added === "full" ? "Too many pages.\n" : "There is no such run.\n");
    }
  });
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  port = await listen(server, wanted);
  return {
    url: `http://127.0.0.1:${port}/${token}/`,
    async close() {
      broadcast.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function feedOf(fleet: FleetSource, run: string | undefined): Feed | undefined {
  if (run === undefined) return fleetFeed(fleet);
  const opened = fleet.open(run);
  return opened === undefined ? undefined : runsFeed(opened);
}

function namesOf(source: RunSource): string {
  return source
    .runs()
    .map(({ name }) => name)
    .join(", ");
}

function setHeaders(response: ServerResponse, policy: string): void {
  const headers = {
    "Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "EADDRINUSE")
        reject(new InspectorError("port-in-use", `Port ${port} is in use by another program.`, { cause }));
      else
        reject(
          new InspectorError("port-refused", `Nothing can listen on port ${port} (${cause.code ?? ""}).`, {
            cause,
          }),
        );
    });
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () =>
      // A TCP server has an address object.
      resolve((server.address() as AddressInfo).port),
    );
  });
}
