import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { main } from "../src/program.ts";
import { fixtureTools, nestbox } from "./support/nestbox.ts";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-mcp-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const newClient = (): Client =>
  new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });

const textOf = (result: { content: readonly { type: string; text?: string }[] }): string =>
  result.content.map(({ text }) => text ?? "").join("\n");

describe("nestbox mcp, to the official client over standard input and output", () => {
  const client = newClient();
  const script = async (code: string) => client.callTool({ name: "codemode", arguments: { code } });
  beforeAll(async () => {
    const policy = join(folder, "policy.jsonc");
    const rules = [{ id: "no-doubling-nines", effect: "deny", tool: "exits", reason: "No." }];
    writeFileSync(policy, JSON.stringify({ version: 1, rules }));
    const args = ["mcp", "--tools", fixtureTools, "--policy", policy];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ["--conditions=@nestbox/source", program, ...args],
      }),
    );
  });
  afterAll(() => client.close());

  it("declares the direct tools and codemode, whose description lists what scripts can call", async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["double", "codemode", "only_the_model"]));
    expect(names).not.toContain("secret_tool");
    expect(names).not.toContain("later");
    const codemode = tools.find(({ name }) => name === "codemode");
    expect(codemode?.description).toMatch(/### `double`/);
    expect(codemode?.description).not.toContain("### `later`");
    expect(codemode?.annotations).toMatchObject({ readOnlyHint: true });
  });

  it("calls a tool, with its structured content", async () => {
    const result = await client.callTool({ name: "double", arguments: { n: 21 } });
    expect(result.structuredContent).toEqual({ n: 42 });
  });

  it("runs a script that calls tools, the deferred ones too", async () => {
    const result = await script(
      `const { n } = await tools.double({ n: 4 }); return [n, await tools.later({})]`,
    );
    expect(result.isError).toBeFalsy();
    expect(textOf(result)).toMatch(/^Script completed\n[^]*\[8,"late"\]/);
  });

  // contract A8
  it("denies what would have to be asked, to the client and to its scripts, and names the rule of a deny", async () => {
    const direct = await client.callTool({ name: "deploy", arguments: {} });
    expect(direct.isError).toBe(true);
    expect(textOf(direct)).toMatch(/approval.*no UI/);
    const scripted = await script("return tools.deploy({})");
    expect(scripted.isError).toBe(true);
    expect(textOf(scripted)).toMatch(/approval.*no UI/);
    expect(textOf(await script("return tools.exits({})"))).toContain("no-doubling-nines");
  });

  it("lets no script start a script", async () => {
    expect(textOf(await script(`return tools.codemode`))).not.toContain("function");
    const nested = await script(
      `return (await ctx.executeTool("codemode", { code: "return 1" })).result.content[0].text`,
    );
    expect(textOf(nested)).toContain("not found");
  });

  it("keeps what scripts store from one to the next", async () => {
    await script(`store("seen", { times: 2 })`);
    expect(textOf(await script(`return load("seen").times + 1`))).toContain("3");
  });

  it("tells of a script's failure with its line", async () => {
    const result = await script("const a = 1;\nthrow new Error('boom')");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/boom[^]*:2/);
  });
});

describe("nestbox mcp without a client", () => {
  it("ends when the client has gone, and has written nothing that is no message", async () => {
    const { exitCode, stdout } = await nestbox(["mcp", "--tools", fixtureTools]);
    expect(stdout).toBe("");
    expect(exitCode).toBe(0);
  });

  it("leaves its own codemode out where a tool has that name", async () => {
    const tools = join(folder, "codemode.mjs");
    writeFileSync(
      tools,
      `export default [{ name: "codemode", description: "Mine.", parameters: { type: "object" }, execute: async () => ({ content: [], details: {} }) }];`,
    );
    const { exitCode, stderr } = await nestbox(["mcp", "--tools", tools]);
    expect(stderr).toContain("--no-codemode");
    expect(exitCode).toBe(2);
    expect((await nestbox(["mcp", "--tools", tools, "--no-codemode"])).exitCode).toBe(0);
  });
});

describe("nestbox mcp --http", () => {
  it("serves until it is interrupted", async () => {
    const stop = new AbortController();
    const stderr = new PassThrough({ encoding: "utf8" });
    const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr };
    const ended = main(["mcp", "--http", "--port", "0", "--tools", fixtureTools], streams, stop.signal);
    let said = "";
    const url = await new Promise<string>((resolve) => {
      stderr.on("data", (text: string) => {
        said += text;
        const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0];
        if (found !== undefined) resolve(found);
      });
    });
    const client = newClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    const result = await client.callTool({
      name: "codemode",
      arguments: { code: "return (await tools.double({ n: 3 })).n" },
    });
    expect(textOf(result)).toContain("6");
    await client.close();
    stop.abort();
    expect(await ended).toBe(0);
    expect(said).toContain("NESTBOX_MCP_TOKEN");
  });

  it("says whose fault it is when the port is in use, and what to do", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = String(typeof address === "object" ? address?.port : 0);
    try {
      const { exitCode, stderr } = await nestbox(["mcp", "--http", "--port", port, "--tools", fixtureTools]);
      expect(stderr).toMatch(/Port \d+ is in use.*--port 0/);
      expect(exitCode).toBe(2);
    } finally {
      server.close();
    }
  });

  it("does not serve other machines without a token", async () => {
    const args = ["mcp", "--http", "--port", "0", "--hostname", "0.0.0.0", "--tools", fixtureTools];
    const { exitCode, stderr } = await nestbox(args);
    expect(stderr).toMatch(/needs a token.*NESTBOX_MCP_TOKEN/);
    expect(exitCode).toBe(2);
  });
});
