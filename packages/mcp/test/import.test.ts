import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Server, type CallToolResult, type Tool } from "@modelcontextprotocol/server";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createMcpFactory, importMcpServer, mcpToolNames, type ImportOptions } from "@nestbox/mcp";
import { connectMcpServer, serveMcpHttp } from "@nestbox/mcp/node";
import { compileSchema, type RunnableTool, type ToolResult, type ToolUpdateCallback } from "@nestbox/tool";
import { exampleHost } from "./support/example-host.ts";

type Answer = (
  name: string,
  extra: { readonly signal: AbortSignal; readonly progress: (message: string) => Promise<void> },
) => CallToolResult | Promise<CallToolResult>;

/** A client that is connected to a server with these tools. */
async function connected(tools: readonly Tool[], answer: Answer = () => ({ content: [] })): Promise<Client> {
  const server = new Server(
    { name: "s", version: "1" },
    { capabilities: { tools: {} }, instructions: "Read first." },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools] }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) =>
    answer(params.name, {
      signal: mcpReq.signal,
      progress: (message) =>
        mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken: mcpReq._meta?.progressToken, progress: 1, message },
        }),
    }),
  );
  const client = new Client({ name: "c", version: "1" });
  const [mine, theirs] = InMemoryTransport.createLinkedPair();
  // Two copies of one class, one in each half of the SDK.
  await Promise.all([server.connect(theirs as never), client.connect(mine)]);
  return client;
}

const open = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

async function imported(tools: readonly Tool[], answer?: Answer, more: Partial<ImportOptions> = {}) {
  return importMcpServer({ server: "docs", client: await connected(tools, answer), ...more });
}

function run(
  tool: RunnableTool | undefined,
  args: object = {},
  signal?: AbortSignal,
  onUpdate?: ToolUpdateCallback,
): Promise<ToolResult> {
  if (tool === undefined) throw new Error("no such tool");
  return tool.execute("call-1", args as never, signal, onUpdate, undefined as never);
}

describe("an imported server", () => {
  it("is a namespace with the server's own name as alias and source, and its tools are found by search", async () => {
    const { namespace, source, tools } = await imported([open("find"), open("read")], undefined, {
      description: "The manual.",
      toolExposure: { read: "direct" },
    });
    expect(namespace).toEqual({
      name: "mcp__docs",
      aliases: ["docs"],
      description: "The manual.",
      instructions: "Read first.",
    });
    expect(source).toEqual({ kind: "mcp", server: "docs" });
    expect(
      tools.map(({ name, label, exposure, namespace: group }) => [name, label, exposure, group?.name]),
    ).toEqual([
      ["mcp__docs__find", "docs/find", "deferred", "mcp__docs"],
      ["mcp__docs__read", "docs/read", "direct", "mcp__docs"],
    ]);
  });

  // policy I07
  it("keeps the exact name of the server as its identity, though two names look the same to a model", async () => {
    const dotted = await importMcpServer({ server: "foo.bar", client: await connected([open("do")]) });
    const plain = await importMcpServer({ server: "foo_bar", client: await connected([open("do")]) });
    expect([dotted.tools[0]?.name, plain.tools[0]?.name]).toEqual(["mcp__foo_bar__do", "mcp__foo_bar__do"]);
    expect([dotted.source, plain.source]).toEqual([
      { kind: "mcp", server: "foo.bar" },
      { kind: "mcp", server: "foo_bar" },
    ]);
  });

  // hostile 17
  it("gives names that models accept, unique and independent of the order, whatever the server calls its tools", async () => {
    const wild = ["a.b", "a_b", "a b", "x".repeat(100), "constructor", "__proto__", "ünï", "ok"];
    const names = mcpToolNames("docs", wild);
    expect(new Set(names.values()).size).toBe(wild.length);
    for (const name of names.values()) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(mcpToolNames("docs", wild.toReversed()).get("a.b")).toBe(names.get("a.b"));
    expect(names.get("ok")).toBe("mcp__docs__ok");
    const { tools } = await imported(
      wild.map((name) => open(name)),
      (name) => ({ content: [{ type: "text", text: name }] }),
    );
    const texts = await Promise.all(tools.map(async (tool) => (await run(tool)).content));
    expect(texts).toEqual(wild.map((name) => [{ type: "text", text: name }]));
  });

  it("hands scripts the whole result, with a schema that it fits, and the model the text", async () => {
    const outputSchema = {
      type: "object",
      properties: { items: { type: "array", items: { $ref: "#/$defs/item" } } },
      $defs: { item: { type: "object", properties: { id: { type: "number" } }, required: ["id"] } },
    } as const;
    const structuredContent = { items: [{ id: 1 }] };
    const { tools } = await imported([open("find", { outputSchema })], () => ({
      content: [
        { type: "text", text: "one item" },
        { type: "resource_link", uri: "docs://1", name: "one" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "docs://2", mimeType: "image/png", blob: "aGk=" } },
      ],
      structuredContent,
      _meta: { private: true },
    }));
    const result = await run(tools[0]);
    expect(result.content).toEqual([
      { type: "text", text: "one item" },
      { type: "text", text: '[Resource docs://1 "one"]' },
      { type: "text", text: "[Audio, audio/wav]" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
    ]);
    expect(result.structuredContent).toMatchObject({
      content: [{ text: "one item" }, {}, {}, {}],
      structuredContent,
    });
    expect(JSON.stringify(result.structuredContent)).not.toContain("private");
    const schema = compileSchema(tools[0]?.outputSchema ?? {});
    expect(schema.check(result.structuredContent).ok).toBe(true);
    expect(schema.check({ content: [], structuredContent: { items: [{ id: "one" }] } }).ok).toBe(false);
  });

  it("tells an error of the server as an error that keeps its data", async () => {
    const { tools } = await imported([open("fails"), open("silent")], (name) =>
      name === "fails"
        ? { content: [{ type: "text", text: "no such page" }], isError: true }
        : { content: [], isError: true },
    );
    expect(await run(tools[0])).toMatchObject({
      isError: true,
      structuredContent: { isError: true, content: [{ text: "no such page" }] },
    });
    expect((await run(tools[1])).content).toEqual([
      { type: "text", text: "MCP tool docs/silent returned an error" },
    ]);
  });

  // contract A12
  it("cuts long text for the model, says where the whole is, and gives scripts all of it", async () => {
    const long = "line\n".repeat(50_000);
    const saved: string[] = [];
    const { tools } = await imported([open("long")], () => ({ content: [{ type: "text", text: long }] }), {
      saveOutput: async (whole) => {
        saved.push(whole);
        return "/tmp/whole.txt";
      },
    });
    const { content, structuredContent } = await run(tools[0]);
    const [block] = content;
    const shown = block?.type === "text" ? block.text : "";
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(50 * 1024);
    expect(shown).toContain("/tmp/whole.txt");
    expect(saved).toEqual([long]);
    expect(structuredContent).toMatchObject({ content: [{ text: long }] });
  });

  it("saves nothing of a text that a model gets whole", async () => {
    const saved: string[] = [];
    const { tools } = await imported(
      [open("short")],
      () => ({ content: [{ type: "text", text: "short" }] }),
      {
        saveOutput: async (whole) => {
          saved.push(whole);
          return Promise.resolve("/tmp/whole.txt");
        },
      },
    );
    expect((await run(tools[0])).content).toEqual([{ type: "text", text: "short" }]);
    expect(saved).toEqual([]);
  });

  it("has exposures by the server's own names and none that every object has", async () => {
    const { tools } = await imported([open("toString"), open("constructor")], undefined, {
      toolExposure: {},
    });
    expect(tools.map(({ exposure }) => exposure)).toEqual(["deferred", "deferred"]);
  });

  it("leaves data of an output schema as it is, also where it looks like a reference", async () => {
    const like = { $ref: "#/definitions/a" };
    const { tools } = await imported(
      [open("data", { outputSchema: { type: "object", properties: { a: { const: like } } } })],
      () => ({ content: [], structuredContent: { a: like } }),
    );
    const { structuredContent } = await run(tools[0]);
    expect(compileSchema(tools[0]?.outputSchema ?? {}).check(structuredContent).ok).toBe(true);
  });

  // policy I03, I05
  it("takes of the annotations only what is a hint", async () => {
    const annotations = { readOnlyHint: true, destructiveHint: false, title: "Find", trusted: true };
    const { tools } = await imported([open("find", { annotations }), open("none")]);
    expect(tools[0]?.annotations).toEqual({ readOnlyHint: true, destructiveHint: false });
    expect(tools[1]).not.toHaveProperty("annotations");
  });

  it("passes progress on, and a cancellation to the server", async () => {
    let stopped = false;
    const { tools } = await imported([open("waits")], async (_name, { signal, progress }) => {
      const ended = new Promise<CallToolResult>((_resolve, reject) =>
        signal.addEventListener("abort", () => {
          stopped = true;
          reject(new Error("stopped"));
        }),
      );
      await progress("waiting");
      return ended;
    });
    const controller = new AbortController();
    const seen: unknown[] = [];
    const running = run(tools[0], {}, controller.signal, (partial) => {
      seen.push(partial.content);
      controller.abort();
    });
    // contract B3
    await expect(running).rejects.toMatchObject({ name: "AbortError" });
    await expect.poll(() => stopped, { timeout: 30_000 }).toBe(true);
    expect(seen).toEqual([[{ type: "text", text: "waiting" }]]);
  });

  it("neither calls nor is read once it is aborted", async () => {
    let calls = 0;
    const { tools } = await imported([open("counts")], () => {
      calls++;
      return Promise.resolve({ content: [] });
    });
    const aborted = AbortSignal.abort();
    // contract B3
    await expect(run(tools[0], {}, aborted)).rejects.toMatchObject({ name: "AbortError" });
    expect(calls).toBe(0);
    await expect(imported([open("counts")], undefined, { signal: aborted })).rejects.toMatchObject({
      name: "AbortError",
    });
  });

  it("fails a call that takes too long, leaves out a tool whose schema cannot be read, and refuses endless lists", async () => {
    const { tools } = await imported([open("hangs")], () => new Promise(() => {}), { timeoutMs: 50 });
    await expect(run(tools[0])).rejects.toBeInstanceOf(Error);
    const bad = open("bad", {
      inputSchema: { type: "object", properties: { p: { type: "string", pattern: "(" } } },
    });
    const partly = await imported([bad, open("good")]);
    expect(partly.tools.map(({ label }) => label)).toEqual(["docs/good"]);
    expect(partly.skipped.map(({ name }) => name)).toEqual(["bad"]);
    const many = Array.from({ length: 11 }, (_, n) => open(`t${n}`));
    await expect(imported(many, undefined, { maxTools: 10 })).rejects.toMatchObject({ code: "bad-server" });
  });

  it("has a server of ours on the other side as well: in memory, over stdio and over HTTP", async () => {
    const client = new Client({ name: "c", version: "1" });
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    const server = createMcpFactory(exampleHost(), { name: "example", version: "1" })();
    await Promise.all([server.connect(theirs as never), client.connect(mine)]);
    const inMemory = await importMcpServer({ server: "example", client });

    const script = fileURLToPath(new URL("support/stdio-server.ts", import.meta.url));
    await using stdio = await connectMcpServer({
      server: "example",
      endpoint: { kind: "stdio", command: process.execPath, args: ["--conditions=@nestbox/source", script] },
    });
    await using listener = await serveMcpHttp(exampleHost(), {
      name: "example",
      version: "1",
      port: 0,
      token: "0123456789abcdef",
    });
    await using http = await connectMcpServer({
      server: "example",
      endpoint: { kind: "http", url: listener.url, headers: { Authorization: "Bearer 0123456789abcdef" } },
    });
    for (const { tools, namespace } of [inMemory, stdio, http]) {
      expect(namespace.instructions).toBe("Call word_count before you answer.");
      const count = tools.find(({ label }) => label === "example/word_count");
      expect(count?.annotations).toEqual({ readOnlyHint: true, openWorldHint: false });
      expect((await run(count, { text: "a b c" })).structuredContent).toMatchObject({
        structuredContent: { words: 3 },
      });
      const push = tools.find(({ label }) => label === "example/push");
      expect(await run(push)).toMatchObject({ isError: true, content: [{ text: "Rule r: no push" }] });
    }
    await client.close();
  });

  it("cannot be reached: the connection rejects and leaves nothing behind", async () => {
    await expect(
      connectMcpServer({
        server: "x",
        endpoint: { kind: "stdio", command: process.execPath, args: ["-e", "process.exit(3)"] },
      }),
    ).rejects.toBeInstanceOf(Error);
    await expect(
      connectMcpServer({ server: "x", endpoint: { kind: "http", url: "http://127.0.0.1:9/mcp" } }),
    ).rejects.toBeInstanceOf(Error);
  });
});
