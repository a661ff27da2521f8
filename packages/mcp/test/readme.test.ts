import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import * as node from "@nestbox/mcp/node";
import type { RunnableTool, ToolSource } from "@nestbox/tool";
import { exampleHost } from "./support/example-host.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map((match) => match[1] ?? "");

/** Runs a block of the README with the given variables in scope. */
async function run(block: string, scope: Record<string, unknown>): Promise<void> {
  const script = stripTypeScriptTypes(block).replace(
    /import (\{[^}]*\}) from "@nestbox\/mcp\/node";/g,
    "const $1 = node;",
  );
  const names = Object.keys(scope);
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as new (
    ...args: string[]
  ) => (...args: unknown[]) => Promise<void>;
  await new AsyncFunction("node", ...names, script)(node, ...names.map((name) => scope[name]));
}

it("has examples that are files, type-checked here", () => {
  const folder = new URL("readme/", import.meta.url);
  const examples = readdirSync(folder).map((name) => {
    const source = readFileSync(new URL(name, folder), "utf8");
    // Between the marks; around them stands what the reader of the README brings along.
    return /^\/\/ README\n([^]*?)^\/\/ README\n/m.exec(source)?.[1];
  });
  expect(new Set(examples)).toEqual(new Set(blocks));
});

it("has two examples, and each does what it says", async () => {
  expect(blocks).toHaveLength(2);
  const [serve = "", load = ""] = blocks;
  const token = "0123456789abcdef";

  const urls: string[] = [];
  const input = new PassThrough();
  const output = new PassThrough();
  let answer = "";
  output.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  await run(serve, {
    host: exampleHost(),
    token,
    input,
    output,
    console: { error: (url: string) => urls.push(url) },
  });
  expect(urls[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  input.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  await vi.waitFor(() => expect(answer).toContain('"name":"review"'), { timeout: 30_000 });
  input.end();

  await using listener = await node.serveMcpHttp(exampleHost(), {
    name: "review",
    version: "1",
    port: 0,
    token,
  });
  const registered: [string, ToolSource][] = [];
  await run(load, {
    url: listener.url,
    token,
    registry: {
      register: (tool: RunnableTool, { source }: { source: ToolSource }) =>
        registered.push([tool.name, source]),
    },
  });
  expect(registered[0]).toEqual(["mcp__docs__word_count", { kind: "mcp", server: "docs" }]);
});
