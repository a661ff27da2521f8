import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { fixtureTools, nestbox } from "./support/nestbox.ts";

const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "nestbox-servers-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, value: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
};

// Each starts two programs more.
describe("nestbox run --mcp", { timeout: 240_000 }, () => {
  let servers = "";
  let policy = "";
  beforeAll(() => {
    const args = ["--conditions=@nestbox/source", program, "mcp", "--no-codemode", "--tools", fixtureTools];
    servers = file("mcp.json", { mcpServers: { fixture: { command: process.execPath, args } } });
    policy = file("policy.jsonc", {
      version: 1,
      rules: [{ id: "doubling", effect: "allow", tool: { server: "fixture", name: "mcp__fixture__double" } }],
    });
  });

  it("lets scripts find and call the tools of a server, under a policy that names the server", async () => {
    const code = `
      const [found] = await searchTools("doubles a number", { namespace: "mcp__fixture", limit: 1 });
      const result = await tools.mcp__fixture__double({ n: 21 });
      return [found?.name, result.structuredContent.n];`;
    const { report } = await nestbox(["run", "-e", code, "--mcp", servers, "--policy", policy, "--json"]);
    expect(report).toMatchObject({ ok: true, value: ["mcp__fixture__double", 42] });
    expect(report.calls).toMatchObject([{ status: "ok", decision: { rule: "doubling", layer: "user" } }]);
  });

  it("does not believe what a server says of its own tools", async () => {
    const { exitCode, report } = await nestbox([
      "run",
      "-e",
      "await tools.mcp__fixture__double({ n: 1 })",
      "--mcp",
      servers,
      "--json",
    ]);
    expect(report.error).toMatchObject({ kind: "policy" });
    expect(exitCode).toBe(3);
  });

  it.each([
    ["a file that is not there", "nowhere.json", undefined, /nowhere\.json: there is no such file/],
    ["no JSON", "broken.json", "{", /broken\.json: .*JSON/],
    ["no servers", "none.json", {}, /none\.json: .*mcpServers/],
    [
      "a server that is nowhere",
      "empty.json",
      { mcpServers: { x: {} } },
      /server "x" has neither a command nor a url/,
    ],
    [
      "a server that does not start",
      "dead.json",
      { mcpServers: { x: { command: join(folder, "no-such-program") } } },
      /server "x": .*ENOENT/,
    ],
  ])("%s: one message and exit code 2", async (_title, name, value, message) => {
    const path = value === undefined ? name : file(name, value);
    const { exitCode, stderr } = await nestbox(["run", "-e", "1", "--mcp", path]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });
});
