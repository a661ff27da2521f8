import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectMcpServer } from "@nestbox/mcp/node";
import { compileSchema, type RunnableTool, type ToolResult } from "@nestbox/tool";
import { foreignSchema } from "../src/foreign-schema.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "nestbox-mcp-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * A server in plain Node that writes what it likes: `tools` is what it lists, `onCall` is source that gets `id`,
 * `params`, `reply(result)` and `raw(text)`.
 */
async function hostile(
  name: string,
  {
    tools = [{ name: "t", inputSchema: { type: "object" } }],
    onCall = "reply({ content: [] })",
    onList = "",
  },
  more: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
) {
  const path = join(folder, `${name}.mjs`);
  await writeFile(
    path,
    `import { createInterface } from "node:readline";
const raw = (text) => process.stdout.write(text);
const send = (message) => raw(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  const reply = (result) => send({ id, result });
  if (method === "initialize") reply({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" }, instructions: "i".repeat(200_000) });
  else if (method === "tools/list") { ${onList}; reply({ tools: ${JSON.stringify(tools)} }); }
  else if (method === "tools/call") { ${onCall} }
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
});`,
  );
  return connectMcpServer({
    server: "s",
    endpoint: { kind: "stdio", command: process.execPath, args: [path] },
    timeoutMs: more.timeoutMs ?? 20_000,
    ...(more.signal === undefined ? {} : { signal: more.signal }),
  });
}

function run(tool: RunnableTool | undefined, args: object = {}, signal?: AbortSignal): Promise<ToolResult> {
  if (tool === undefined) throw new Error("no such tool");
  return tool.execute("call-1", args as never, signal, () => {}, undefined as never);
}

describe("a server that misbehaves", () => {
  it.each([
    ["dies in the middle of a call", "process.exit(7)"],
    ["never answers", ""],
    ["answers with text that is no JSON and nothing else", 'raw("garbage\\n")'],
    ["answers a request that nobody made", "send({ id: 12345, result: { content: [] } })"],
    ["answers with no result at all", "send({ id })"],
    ["answers with a result of the wrong shape", 'reply({ content: "text" })'],
    ["answers with blocks of unknown kinds", 'reply({ content: [{ type: "video", data: 1 }] })'],
    ["answers with an error that is none", 'send({ id, error: "broken" })'],
    ["answers with half a line and stops", 'raw(\'{"jsonrpc":"2.0","id":\')'],
    ["answers with a line longer than may be read", 'raw("x".repeat(11 * 1024 * 1024) + "\\n")'],
    [
      "answers with a batch",
      "raw(JSON.stringify([{ jsonrpc: '2.0', id, result: { content: [] } }]) + '\\n')",
    ],
  ])("and %s fails the call, and can be closed", async (title, onCall) => {
    await using server = await hostile(title.replaceAll(" ", "-"), { onCall }, { timeoutMs: 1_000 });
    await expect(run(server.tools[0])).rejects.toBeInstanceOf(Error);
  });

  it("and floods its progress does not keep its answer back, nor ask more than once", async () => {
    const onCall = `const progressToken = params._meta?.progressToken;
      for (let n = 0; n < 20_000; n++) send({ method: "notifications/progress", params: { progressToken, progress: n, message: "m" } });
      reply({ content: [{ type: "text", text: "done" }] });
      for (let n = 0; n < 100; n++) { send({ method: "notifications/progress", params: { progressToken, progress: n } }); reply({ content: [{ type: "text", text: "again" }] }); }`;
    await using server = await hostile("floods", { onCall });
    const result = await run(server.tools[0]);
    expect(result.content).toEqual([{ type: "text", text: "done" }]);
    expect((await run(server.tools[0])).content).toEqual([{ type: "text", text: "done" }]);
  });

  it("and answers after its call was cancelled changes nothing", async () => {
    // The first is answered behind the answer to the second, so that nothing depends on how long anything takes.
    const onCall = `const answer = () => reply({ content: [{ type: "text", text: String(params.arguments.n) }] });
      if (params.arguments.n === 1) globalThis.late = answer; else { answer(); globalThis.late?.(); }`;
    await using server = await hostile("late", { onCall });
    const controller = new AbortController();
    const first = run(server.tools[0], { n: 1 }, controller.signal);
    setTimeout(() => controller.abort(), 20);
    await expect(first).rejects.toBeInstanceOf(Error);
    expect((await run(server.tools[0], { n: 2 })).content).toEqual([{ type: "text", text: "2" }]);
    expect((await run(server.tools[0], { n: 3 })).content).toEqual([{ type: "text", text: "3" }]);
  });

  it("and keeps its list to itself is let go of when its import is aborted, and its process ended", async () => {
    const controller = new AbortController();
    const started = join(folder, "asked");
    const onList = `(await import("node:fs")).writeFileSync(${JSON.stringify(started)}, String(process.pid)); return`;
    const connecting = hostile("silent", { onList }, { signal: controller.signal });
    const pid = await vi.waitFor(async () => Number(await readFile(started, "utf8")), { timeout: 30_000 });
    controller.abort();
    await expect(connecting).rejects.toMatchObject({ name: "AbortError" });
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow("ESRCH"), { timeout: 30_000 });
  });

  it("and lists 10,000 tools is refused, and its process ended", async () => {
    const tools = Array.from({ length: 10_000 }, (_, n) => ({
      name: `t${n}`,
      inputSchema: { type: "object" },
    }));
    await expect(hostile("lists", { tools })).rejects.toMatchObject({ code: "bad-server" });
  });

  it("and talks too much is cut: instructions and descriptions", async () => {
    const tools = [{ name: "t", description: "d".repeat(500_000), inputSchema: { type: "object" } }];
    await using server = await hostile("talks", { tools });
    expect(server.tools[0]?.description.length).toBeLessThanOrEqual(16_000);
    expect(server.namespace.instructions?.length).toBeLessThanOrEqual(50 * 1024);
  });

  it("and gives data that does not fit its schema fails the call, as with any client", async () => {
    const tools = [
      {
        name: "t",
        inputSchema: { type: "object" },
        outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      },
    ];
    await using server = await hostile("lies", {
      tools,
      onCall: 'reply({ content: [], structuredContent: { n: "many" } })',
    });
    await expect(run(server.tools[0])).rejects.toThrow(/n: expected number/);
  });

  it("and hides an endless regular expression in its schemas does not hang anybody", async () => {
    const evil = { type: "string", pattern: "^(a+)+$" };
    const tools = [
      {
        name: "t",
        inputSchema: { type: "object", properties: { x: evil }, propertyNames: evil },
        outputSchema: { type: "object", properties: { x: evil }, patternProperties: { "^(b+)+$": {} } },
      },
    ];
    const text = `${"a".repeat(60)}!`;
    await using server = await hostile("regex", {
      tools,
      onCall: `reply({ content: [], structuredContent: { x: ${JSON.stringify(text)}, ${"b".repeat(60)}: 1, "${"b".repeat(60)}!": 1 } })`,
    });
    const [tool] = server.tools;
    const args = { x: text, [text]: 1 };
    expect(compileSchema(tool?.parameters ?? {}).coerce(args).ok).toBe(true);
    const { structuredContent } = await run(tool, args);
    expect(compileSchema(tool?.outputSchema ?? {}).check(structuredContent).ok).toBe(true);
    // The model is told of it all the same.
    expect(JSON.stringify(tool?.parameters)).toContain("(pattern: ^(a+)+$)");
  });

  it("and nests its schema until it explodes is left out", async () => {
    const $defs: Record<string, object> = { d0: { type: "object" } };
    for (let n = 1; n <= 40; n++)
      $defs[`d${n}`] = { allOf: [{ $ref: `#/$defs/d${n - 1}` }, { $ref: `#/$defs/d${n - 1}` }] };
    const bomb = { type: "object", $defs, allOf: [{ $ref: "#/$defs/d40" }] };
    const tools = [
      { name: "in", inputSchema: bomb },
      { name: "out", inputSchema: { type: "object" }, outputSchema: bomb },
    ];
    await using server = await hostile("bomb", {
      tools,
      onCall: "reply({ content: [], structuredContent: {} })",
    });
    expect(server.skipped).toEqual([{ name: "in", reason: "its schema is too complex" }]);
    const [out] = server.tools;
    expect(compileSchema(out?.outputSchema ?? {}).check((await run(out)).structuredContent).ok).toBe(true);
  });
});

describe("a schema of a server's", () => {
  it("without expressions is the same object", () => {
    const schema = { type: "object", properties: { tree: { $ref: "#" }, not: { type: "string" } } };
    expect(foreignSchema(schema)).toBe(schema);
  });

  it.each<[string, object, unknown]>([
    ["not", { not: { pattern: "^a" } }, "b"],
    ["not, behind a reference", { $defs: { a: { pattern: "^a" } }, not: { $ref: "#/$defs/a" } }, "b"],
    ["if", JSON.parse('{"if":{"pattern":"^a"},"then":{"minLength":10},"else":{}}') as object, "b"],
    [
      "oneOf",
      {
        oneOf: [
          { type: "string", pattern: "^a" },
          { type: "string", pattern: "^b" },
        ],
      },
      "b",
    ],
    ["maxContains", { contains: { type: "string", pattern: "^a" }, maxContains: 1 }, ["a", "b"]],
    ["patternProperties", { patternProperties: { "^x-": {} }, additionalProperties: false }, { "x-a": 1 }],
    [
      "unevaluatedProperties",
      {
        oneOf: [{ properties: { a: { pattern: "^x" } }, required: ["a"] }, { required: ["b"] }],
        unevaluatedProperties: false,
      },
      { a: "x" },
    ],
    [
      "not, of what is not evaluated",
      { not: { properties: { a: {} }, unevaluatedProperties: false }, properties: { c: { pattern: "^x" } } },
      { c: "x" },
    ],
    ["a deep pattern", { properties: { a: { items: { pattern: "^a" } } } }, { a: ["a"] }],
    ["a property that is called pattern", { properties: { pattern: { type: "string" } } }, { pattern: "x" }],
    ["a constant that looks like one", { const: { pattern: "^a" } }, { pattern: "^a" }],
  ])("with %s takes all that the server takes", (_title, schema, value) => {
    expect(compileSchema(schema).check(value).ok).toBe(true);
    expect(compileSchema(foreignSchema(schema) ?? { not: {} }).check(value).ok).toBe(true);
  });

  it("still refuses what has nothing to do with an expression", () => {
    const schema = foreignSchema({
      type: "object",
      properties: { a: { type: "string", pattern: "^a", maxLength: 3 } },
      required: ["a"],
    });
    const compiled = compileSchema(schema ?? {});
    expect([{}, { a: 1 }, { a: "abcd" }].map((value) => compiled.check(value).ok)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each<[string, (n: number) => readonly [ref: object, name: object]]>([
    ["anchors", (n) => [{ $ref: `#d${n}` }, { $anchor: `d${n}` }]],
    ["addresses", (n) => [{ $ref: `http://x/d${n}` }, { $id: `http://x/d${n}` }]],
    ["addresses of parts", (n) => [{ $ref: `http://x/s#/$defs/d${n}` }, {}]],
    ["relative addresses", (n) => [{ $ref: `s#/$defs/d${n}` }, {}]],
    ["dynamic anchors", (n) => [{ $dynamicRef: `#d${n}` }, { $dynamicAnchor: `d${n}` }]],
    ["dynamic pointers", (n) => [{ $dynamicRef: `#/$defs/d${n}` }, {}]],
  ])("that explodes by %s hangs nobody", (_title, make) => {
    const $defs: Record<string, object> = { d0: { ...make(0)[1], type: "object" } };
    for (let n = 1; n <= 40; n++) {
      const [ref] = make(n - 1);
      $defs[`d${n}`] = { ...make(n)[1], allOf: [ref, { ...ref }] };
    }
    const schema = { $id: "http://x/s", type: "object", $defs, allOf: [make(40)[0]], required: ["a"] };
    const compiled = compileSchema(foreignSchema(schema) ?? {});
    expect([{ a: 1 }, {}].map((value) => compiled.check(value).ok)).toEqual([true, false]);
  });

  it.each<[string, object]>([
    ["below an address of its own", { $id: "http://x/b" }],
    ["below a property that is called as a keyword with data is", {}],
  ])("that explodes %s hangs nobody", (_title, address) => {
    const $defs: Record<string, object> = { d0: { type: "object" } };
    const ref = (n: number) =>
      Object.keys(address).length === 0 ? `#/properties/const/$defs/d${n}` : `#/$defs/d${n}`;
    for (let n = 1; n <= 40; n++) $defs[`d${n}`] = { allOf: [{ $ref: ref(n - 1) }, { $ref: ref(n - 1) }] };
    const inner = { ...address, $defs, allOf: [{ $ref: ref(40) }] };
    const schema = foreignSchema({ type: "object", properties: { const: inner } });
    expect(compileSchema(schema ?? {}).check({ const: {} }).ok).toBe(true);
  });

  it.each<[string, object]>([
    ["twice at one place", { properties: { a: { allOf: [{ $ref: "#" }, { $ref: "#" }] } } }],
    ["by two kinds of one thing", { anyOf: [1, 2].map(() => ({ properties: { a: { $ref: "#" } } })) }],
    [
      "by a property and by any",
      { properties: { a: { $ref: "#" } }, allOf: [{ additionalProperties: { $ref: "#" } }] },
    ],
    ["by ways of other lengths", { properties: { a: { $ref: "#", properties: { a: { $ref: "#" } } } } }],
    [
      "behind another one",
      {
        $defs: { one: { properties: { a: { $ref: "#" } } } },
        allOf: [{ $ref: "#/$defs/one" }, { $ref: "#/$defs/one" }],
      },
    ],
  ])("that leads back %s hangs nobody with a deep value", (_title, part) => {
    let value: object = {};
    for (let n = 0; n < 60; n++) value = { a: value };
    const compiled = compileSchema(foreignSchema({ type: "object", ...part }) ?? {});
    expect([value, 1].map((one) => compiled.check(one).ok)).toEqual([true, false]);
  });

  it("that leads back once at each place is the same object: trees of all kinds are checked whole", () => {
    const node = { $ref: "#/$defs/node" };
    const schema = {
      $id: "http://x/tree",
      type: "object",
      $defs: {
        node: {
          type: "object",
          properties: {
            left: node,
            right: node,
            children: { type: "array", items: node },
            n: { type: "number" },
          },
        },
      },
      properties: { tree: node, others: { type: "array", prefixItems: [node, node] } },
    };
    expect(foreignSchema(schema)).toBe(schema);
    const deep = { tree: { left: { children: [{ right: { n: "none" } }] } } };
    expect(compileSchema(schema).check(deep).ok).toBe(false);
  });

  it("that is large or recursive is no bomb", () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [
        `d${n}`,
        { type: "object", properties: { next: { $ref: `#/$defs/d${(n + 1) % 200}` } } },
      ]),
    );
    expect(
      foreignSchema({ type: "object", $defs, properties: { first: { $ref: "#/$defs/d0" } } }),
    ).toBeDefined();
    const json = {
      anyOf: [
        { type: "string" },
        { type: "array", items: { $ref: "#" } },
        { type: "object", additionalProperties: { $ref: "#" } },
      ],
    };
    expect(foreignSchema(json)).toBe(json);
  });
});
