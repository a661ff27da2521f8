import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { fixtureTools, nestbox, nestboxProcess } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-dry-run-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const policy = join(folder, "policy.jsonc");
writeFileSync(
  policy,
  JSON.stringify({ version: 1, rules: [{ id: "no-doubles", effect: "deny", tool: "double" }] }),
);
const dry = (code: string, ...more: readonly string[]) =>
  nestbox(["run", "--eval", code, "--tools", fixtureTools, "--policy", policy, "--policy-dry-run", ...more]);

describe("nestbox run --policy-dry-run", () => {
  it("lets every call through, and says at the end what would have been denied by which rule", async () => {
    const { stdout, stderr, exitCode } = await dry(
      "await tools.deploy({}); await tools.double({ n: 1 }); return (await tools.double({ n: 2 })).n",
    );
    expect(stdout).toBe("4\n");
    expect(stderr).toMatch(/^nestbox: dry run: .*every call has its effects$/m);
    expect(stderr).toMatch(
      /^Would have been denied\n {2}deploy {2}default\.annotations \(built-in\)\n {2}double {2}no-doubles \(user\), 2 calls\n/m,
    );
    expect(exitCode).toBe(0);
  });

  it("says so in the JSON object, and that nothing would have been", async () => {
    const { report } = await dry("await tools.double({ n: 1 })", "--json");
    expect(report).toMatchObject({
      ok: true,
      wouldDeny: [{ tool: "double", rule: "no-doubles", layer: "user", matched: "double", count: 1 }],
    });
    expect((await dry("return 1", "--json")).report.wouldDeny).toEqual([]);
    expect((await dry("return 1")).stderr).toMatch(/Would have been denied\n {2}nothing/);
    expect((await nestbox(["run", "--eval", "return 1", "--json"])).report).not.toHaveProperty("wouldDeny");
  });

  it("keeps the policy's own files safe all the same", async () => {
    const tools = join(folder, "writer.mjs");
    writeFileSync(
      tools,
      `export default [{ name: "write", description: "Writes.", parameters: { type: "object" }, execute: async () => ({ content: [{ type: "text", text: "written" }], details: {} }) }];`,
    );
    const { report } = await nestbox([
      "run",
      "--tools",
      tools,
      "--policy-dry-run",
      "--json",
      "--cwd",
      folder,
      "--eval",
      `const one = async (path) => (await ctx.executeTool("write", { path, content: "" })).isError; return [await one("a.txt"), await one(".pi/policy.jsonc")]`,
    ]);
    expect(report.value).toEqual([false, true]);
  });

  it("is no word of a config file", async () => {
    const config = join(folder, "config.jsonc");
    writeFileSync(config, `{ "policyDryRun": true }`);
    expect((await nestbox(["tools", "--config", config])).exitCode).toBe(2);
  });
});

describe("nestbox mcp --policy-dry-run", () => {
  it("says when the client goes what would have been denied", async () => {
    const { stderr, stdout, exitCode } = await nestboxProcess(
      ["mcp", "--tools", fixtureTools, "--policy", policy, "--policy-dry-run", "--no-codemode"],
      [
        {
          jsonrpc: "2.0",
          id: 1,
          method: "initialize",
          params: {
            protocolVersion: "2025-06-18",
            capabilities: {},
            clientInfo: { name: "test", version: "1" },
          },
        },
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "double", arguments: { n: 4 } } },
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(""),
    );
    expect(stderr).toMatch(/would have been denied: double {2}no-doubles \(user\)/);
    expect(stdout).toContain('"id":2');
    expect(exitCode).toBe(0);
  });
});
