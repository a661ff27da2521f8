import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { serveMcpHttp } from "@nestbox/mcp/node";
import { createMcpFactory } from "../src/server.ts";
import { createSessions } from "../src/sessions.ts";
import { exampleHost } from "./support/example-host.ts";
import { fakeHost, text } from "./support/fake-host.ts";

type Mode = "legacy" | "auto";
interface Connection {
  readonly client: Client;
  /** Whether a tool of the server has seen its signal aborted. */
  readonly stopped: () => boolean;
}

const cleanups: (() => Promise<unknown>)[] = [];
const cleanUp = async (): Promise<void> => {
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) await cleanup();
};

const newClient = (mode: Mode): Client =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });

async function overStdio(mode: Mode): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), "nestbox-mcp-"));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const flag = join(folder, "stopped");
  const client = newClient(mode);
  const script = fileURLToPath(new URL("support/stdio-server.ts", import.meta.url));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ["--conditions=@nestbox/source", script, flag],
    }),
  );
  cleanups.push(() => client.close());
  return { client, stopped: () => existsSync(flag) };
}

async function overHttp(mode: Mode): Promise<Connection> {
  let stopped = false;
  const server = await serveMcpHttp(
    exampleHost(() => (stopped = true)),
    { name: "example", version: "1.0.0", port: 0, token: "0123456789abcdef" },
  );
  cleanups.push(() => server.close());
  const client = newClient(mode);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { Authorization: "Bearer 0123456789abcdef" } },
    }),
  );
  cleanups.push(() => client.close());
  return { client, stopped: () => stopped };
}

describe.each([
  ["stdio", "legacy", overStdio],
  ["stdio", "auto", overStdio],
  ["streamable HTTP", "legacy", overHttp],
  ["streamable HTTP", "auto", overHttp],
] as const)("a host served over %s to the official client (%s)", (_transport, mode, connect) => {
  let connection: Connection;
  beforeAll(async () => {
    connection = await connect(mode);
  });
  afterAll(cleanUp);

  it("is listed with titles, schemas and annotations, and tells its namespaces' instructions", async () => {
    const { client } = connection;
    expect(client.getInstructions()).toBe("Call word_count before you answer.");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "word_count",
      "fails_with_data",
      "breaks_its_word",
      "lists",
      "steps",
      "waits",
      "push",
      "picture",
    ]);
    expect(tools[0]).toMatchObject({
      title: "Word count",
      description: "The word_count tool.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      outputSchema: { type: "object", properties: { words: { type: "number" } }, required: ["words"] },
      annotations: { readOnlyHint: true, openWorldHint: false },
    });
    expect(tools[3]?.outputSchema).toBeUndefined();
  });

  it("gives content, structured content and images", async () => {
    const { client } = connection;
    await client.listTools();
    expect(await client.callTool({ name: "word_count", arguments: { text: "two words" } })).toMatchObject({
      content: [{ type: "text", text: "2 words" }],
      structuredContent: { words: 2 },
    });
    expect((await client.callTool({ name: "picture" })).content).toEqual([
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ]);
  });

  it("tells failures as results: with data, blocked by the policy, and what ran but broke its word", async () => {
    const { client } = connection;
    await client.listTools();
    expect(await client.callTool({ name: "fails_with_data" })).toMatchObject({
      isError: true,
      structuredContent: { left: 2 },
    });
    expect(await client.callTool({ name: "push" })).toMatchObject({
      isError: true,
      content: [{ text: "Rule r: no push" }],
    });
    const broken = await client.callTool({ name: "breaks_its_word" });
    expect(broken.isError).toBe(true);
    expect(JSON.stringify(broken.content)).toContain("The tool ran");
    expect(JSON.stringify(broken.content)).toContain("deleted it");
    await expect(client.callTool({ name: "no_such_tool" })).rejects.toThrow("Tool no_such_tool not found");
  });

  it("tells progress while a tool runs", async () => {
    const { client } = connection;
    const seen: unknown[] = [];
    await client.callTool(
      { name: "steps" },
      { onprogress: ({ progress, message }) => seen.push([progress, message]) },
    );
    expect(seen).toEqual([
      [1, "one"],
      [2, "two"],
      [3, "three"],
    ]);
  });

  it("stops a tool whose call is cancelled", async () => {
    const { client, stopped } = connection;
    const controller = new AbortController();
    const running = client.callTool(
      { name: "waits" },
      { signal: controller.signal, onprogress: () => controller.abort() },
    );
    await expect(running).rejects.toBeInstanceOf(Error);
    await vi.waitFor(() => expect(stopped()).toBe(true), { timeout: 10_000 });
  });
});

describe("the HTTP server", () => {
  afterEach(cleanUp);

  const token = "0123456789abcdef";
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
  });

  /** What `fetch` forbids: any Host header. */
  function post(
    url: string,
    headers: Record<string, string>,
    data = body,
  ): Promise<{ status: number; text: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        url,
        {
          method: "POST",
          headers: {
            "Content-Type": "application/json",
            Accept: "application/json, text/event-stream",
            ...headers,
          },
        },
        (response) => {
          let answer = "";
          response.on("data", (chunk: Buffer) => (answer += chunk.toString()));
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text: answer }));
        },
      );
      sent.on("error", reject);
      sent.end(data);
    });
  }

  it("refuses requests without the token, for another host, from a web page, for another path, or too large", async () => {
    const host = exampleHost();
    const server = await serveMcpHttp(host, {
      name: "example",
      version: "1",
      port: 0,
      token,
      maxRequestBytes: 1_000,
    });
    cleanups.push(() => server.close());
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await post(server.url, bearer)).status).toBe(200);
    expect((await post(server.url, {})).status).toBe(401);
    expect((await post(server.url, { Authorization: "Bearer 0123456789abcdeX" })).status).toBe(401);
    expect((await post(server.url, { ...bearer, Host: "evil.example" })).status).toBe(403);
    expect((await post(server.url, { ...bearer, Origin: "https://evil.example" })).status).toBe(403);
    expect((await post(`${server.url}/other`, bearer)).status).toBe(404);
    expect(
      (await post(server.url, bearer, JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x".repeat(2_000) })))
        .status,
    ).toBe(413);
    expect(host.asked).toEqual([]);
  });

  it("is not opened to others without a token, nor with a short one", async () => {
    const options = { name: "example", version: "1", port: 0 };
    await expect(serveMcpHttp(exampleHost(), { ...options, hostname: "0.0.0.0" })).rejects.toMatchObject({
      code: "unsafe-binding",
    });
    await expect(serveMcpHttp(exampleHost(), { ...options, token: "short" })).rejects.toMatchObject({
      code: "invalid-option",
    });
  });

  it("rejects when its port is taken", async () => {
    const server = await serveMcpHttp(exampleHost(), { name: "example", version: "1", port: 0 });
    cleanups.push(() => server.close());
    const port = Number(new URL(server.url).port);
    await expect(serveMcpHttp(exampleHost(), { name: "example", version: "1", port })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
  });

  it("aborts what runs when it closes, and bounds progress", async () => {
    let stopped = false;
    const flood = fakeHost({
      floods: {
        run: async (_args, { onUpdate }) => {
          for (let n = 0; n < 100; n++) onUpdate(text("x".repeat(5_000)));
          return text("done");
        },
      },
      waits: {
        run: (_args, { signal, onUpdate }) =>
          new Promise((_resolve, reject) => {
            onUpdate(text("waiting"));
            signal.addEventListener("abort", () => {
              stopped = true;
              reject(new Error("stopped"));
            });
          }),
      },
    });
    const server = await serveMcpHttp(flood, { name: "example", version: "1", port: 0, maxProgress: 5 });
    const client = newClient("auto");
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    cleanups.push(() => client.close());
    const seen: number[] = [];
    await client.callTool(
      { name: "floods" },
      { onprogress: ({ message = "" }) => seen.push(message.length) },
    );
    expect(seen).toEqual([1_001, 1_001, 1_001, 1_001, 1_001]);
    // What the client makes of a server that is gone is the client's business.
    const running = client.callTool(
      { name: "waits" },
      { onprogress: () => void server.close(), timeout: 1_000 },
    );
    await expect(running).rejects.toBeInstanceOf(Error);
    await vi.waitFor(() => expect(stopped).toBe(true), { timeout: 10_000 });
  });

  it("keeps so many sessions and no more, and answers for an ended one with 404", async () => {
    const server = await serveMcpHttp(exampleHost(), {
      name: "example",
      version: "1",
      port: 0,
      maxSessions: 2,
    });
    cleanups.push(() => server.close());
    const clients = [];
    for (let n = 0; n < 3; n++) {
      const client = newClient("legacy");
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      cleanups.push(() => client.close());
      clients.push(client);
    }
    await expect(clients[0]?.listTools({}, { cacheMode: "bypass", timeout: 5_000 })).rejects.toBeInstanceOf(
      Error,
    );
    expect((await clients[2]?.listTools())?.tools.length).toBe(8);
    expect((await post(server.url, { "mcp-session-id": "made-up" })).status).toBe(404);
  });

  it("ends the session that was unused for longest, and not the oldest one", async () => {
    const server = await serveMcpHttp(exampleHost(), {
      name: "example",
      version: "1",
      port: 0,
      maxSessions: 2,
    });
    cleanups.push(() => server.close());
    const connect = async (): Promise<Client> => {
      const client = newClient("legacy");
      await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
      cleanups.push(() => client.close());
      return client;
    };
    const oldest = await connect();
    const unused = await connect();
    await oldest.listTools({}, { cacheMode: "bypass" });
    await connect();
    expect((await oldest.listTools({}, { cacheMode: "bypass" })).tools.length).toBe(8);
    await expect(unused.listTools({}, { cacheMode: "bypass", timeout: 5_000 })).rejects.toBeInstanceOf(Error);
  });

  it("begins no session once it closes: nobody would end it", async () => {
    let open = 0;
    const create = createMcpFactory(exampleHost(), { name: "example", version: "1" });
    const factory = (): ReturnType<typeof create> => {
      const server = create();
      open++;
      // The SDK's server is no event target.
      // oxlint-disable-next-line unicorn/prefer-add-event-listener
      server.onclose = () => open--;
      return server;
    };
    const sessions = createSessions(factory, {
      maxSessions: 2,
      maxRequestBytes: 100_000,
      createId: () => "one",
    });
    const initialize = (): Promise<Response> =>
      sessions.fetch(
        new Request("http://127.0.0.1/mcp", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "initialize",
            params: {
              protocolVersion: "2025-06-18",
              capabilities: {},
              clientInfo: { name: "test", version: "1" },
            },
          }),
        }),
      );
    // Its request is being read when the server closes.
    const late = initialize();
    await sessions.close();
    await late;
    await vi.waitFor(() => expect(open).toBe(0), { timeout: 10_000 });
    expect((await initialize()).status).toBe(503);
    const ping = new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: { "mcp-session-id": "one" },
    });
    expect((await sessions.fetch(ping)).status).toBe(503);
  });
});
