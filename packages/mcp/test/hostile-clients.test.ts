import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { serveMcpHttp, type McpHttpListener } from "@nestbox/mcp/node";
import { fakeHost, text } from "./support/fake-host.ts";

const token = "0123456789abcdef";
const bearer = { Authorization: `Bearer ${token}` };
const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "acts", arguments: {} } };

let host: ReturnType<typeof fakeHost>;
let server: McpHttpListener;
beforeEach(async () => {
  host = fakeHost({ acts: { run: () => text("acted") } });
  server = await serveMcpHttp(host, {
    name: "s",
    version: "1",
    port: 0,
    token,
    maxRequestBytes: 10_000,
    maxSessions: 4,
  });
});
afterEach(() => server.close());

/** One request, byte for byte; the first line of the answer, or nothing when the server hung up. */
function raw(
  head: string,
  headers: Readonly<Record<string, string>>,
  body: string | undefined,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    let answer = "";
    socket.setTimeout(20_000, () => socket.destroy(new Error("no answer")));
    socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")));
    socket.on("close", () => resolve(answer));
    socket.on("error", (error: Error & { code?: string }) =>
      error.code === "ECONNRESET" ? resolve(answer) : reject(error),
    );
    const lines = Object.entries({
      Host: "127.0.0.1",
      Connection: "close",
      ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
      ...headers,
    });
    socket.end(
      `${head} HTTP/1.1\r\n${lines
        .filter(([name, value]) => name !== "Content-Length" || value !== "")
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join("")}\r\n${body ?? ""}`,
    );
  });
}

/** The server still serves its owner. */
async function serves(): Promise<boolean> {
  const client = new Client({ name: "c", version: "1" }, { versionNegotiation: { mode: "auto" } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: bearer } }),
  );
  const { content } = await client.callTool({ name: "acts" });
  await client.close();
  return JSON.stringify(content).includes("acted");
}

const body = JSON.stringify(call);
type Attack = readonly [
  title: string,
  head: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
];
const post = (title: string, headers: Readonly<Record<string, string>>, sent = body): Attack => [
  title,
  "POST /mcp",
  { ...json, ...headers },
  sent,
];
const owned = (title: string, sent: string): Attack => post(title, bearer, sent);

const attacks: readonly Attack[] = [
  // A name that somebody points at this machine.
  ...[
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "evil.example#localhost",
    "[::1].evil.example",
    "0.0.0.0",
    "127.0.0.2",
    "",
    " ",
  ].map((name) => post(`Host: ${name}`, { ...bearer, Host: name })),
  // A page that the user's browser shows.
  ...[
    "https://evil.example",
    "http://localhost.evil.example",
    "http://evil.example/?localhost",
    "null",
    "file://",
    "http://127.0.0.1@evil.example",
    "garbage",
  ].map((origin) => post(`Origin: ${origin}`, { ...bearer, Origin: origin })),
  post("no token", {}),
  post("an empty token", { Authorization: "Bearer " }),
  post("another scheme", { Authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` }),
  post("the start of the token", { Authorization: `Bearer ${token.slice(0, -1)}` }),
  post("more than the token", { Authorization: `Bearer ${token}0` }),
  post("a token of 8 KB", { Authorization: `Bearer ${"x".repeat(8_000)}` }),
  ["the token in the address", `POST /mcp?token=${token}&access_token=${token}`, json, body],
  ...["/", "/mcp/", "//mcp", "/MCP", "/mcp%2f", "/x/../mcp", "/mcp;x", "/mcp%00", "*"].map((path): Attack => [
    `path ${path}`,
    `POST ${path}`,
    { ...json, ...bearer },
    body,
  ]),
  [
    "an address of another host",
    "POST http://evil.example/mcp",
    { ...json, ...bearer, Host: "evil.example" },
    body,
  ],
  ...["PUT", "PATCH", "DELETE", "OPTIONS", "GET", "TRACE"].map((method): Attack => [
    `method ${method}`,
    `${method} /mcp`,
    { ...json, ...bearer },
    method === "GET" || method === "TRACE" ? undefined : body,
  ]),
  // What a page may send without asking first.
  ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""].map((type) =>
    post(`Content-Type: ${type}`, { ...bearer, "Content-Type": type }),
  ),
  post("a session that there is not", {
    ...bearer,
    "Mcp-Session-Id": "00000000-0000-4000-8000-000000000000",
  }),
  post("a session __proto__", { ...bearer, "Mcp-Session-Id": "__proto__" }),
  post("a session of 8 KB", { ...bearer, "Mcp-Session-Id": "x".repeat(8_000) }),
  post("a version that there is not", { ...bearer, "Mcp-Protocol-Version": "1999-01-01" }),
  owned("no body", ""),
  owned("no JSON", "{"),
  owned("null", "null"),
  owned("a number", "7"),
  owned("an empty batch", "[]"),
  owned("a batch of calls", JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ ...call, id })))),
  owned("2,000 brackets", "[".repeat(2_000)),
  owned("2,000 lists in one another", "[".repeat(2_000) + "]".repeat(2_000)),
  owned("another protocol", JSON.stringify({ ...call, jsonrpc: "1.0" })),
  owned("no method", JSON.stringify({ jsonrpc: "2.0", id: 1 })),
  owned("an id that is an object", JSON.stringify({ ...call, id: { a: 1 } })),
  owned("a call as a notification", JSON.stringify({ ...call, id: undefined })),
  owned(
    "too much",
    JSON.stringify({ ...call, params: { name: "acts", arguments: { x: "x".repeat(20_000) } } }),
  ),
  [
    "too much, without its length",
    "POST /mcp",
    { ...json, ...bearer, "Transfer-Encoding": "chunked" },
    `${(20_000).toString(16)}\r\n${"x".repeat(20_000)}\r\n0\r\n\r\n`,
  ],
  ["both lengths", "POST /mcp", { ...json, ...bearer, "Transfer-Encoding": "chunked" }, body],
];

// A tool runs for whoever has the token, asks this host, and speaks the protocol; for nobody else.
describe("the HTTP server", () => {
  it.each(attacks.map((attack) => [attack[0], attack] as const))(
    "runs nothing for %s, and lives",
    async (_title, [, head, headers, sent]) => {
      const chunked = headers["Transfer-Encoding"] === "chunked" && sent?.startsWith("{") === false;
      const answer = await raw(head, chunked ? { ...headers, "Content-Length": "" } : headers, sent);
      expect(answer === "" || /^HTTP\/1\.1 (?:[45]\d\d|202)/.test(answer)).toBe(true);
      expect(answer).not.toMatch(/acted|access-control-allow|\bat \w+ \(|node_modules/i);
      expect(host.asked).toEqual([]);
      expect(await serves()).toBe(true);
    },
  );

  it("gives one client nothing of another one's session without its id, and ends with the most that it keeps", async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 12; n++) {
      const initialize = {
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
      };
      const answer = await raw("POST /mcp", { ...json, ...bearer }, JSON.stringify(initialize));
      ids.add(/mcp-session-id: (\S+)/i.exec(answer)?.[1] ?? "none");
    }
    // Long enough that nobody guesses one, and never the same.
    expect(ids.size).toBe(12);
    expect([...ids].every((id) => id.length >= 36)).toBe(true);
    const alive = [];
    for (const id of ids) {
      const answer = await raw(
        "POST /mcp",
        { ...json, ...bearer, "Mcp-Session-Id": id },
        JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" }),
      );
      if (answer.startsWith("HTTP/1.1 200")) alive.push(id);
    }
    expect(alive).toEqual([...ids].slice(-4));
    const stolen = await raw("POST /mcp", { ...json, "Mcp-Session-Id": alive[0] ?? "" }, body);
    expect(stolen).toMatch(/^HTTP\/1\.1 401/);
  });
});
