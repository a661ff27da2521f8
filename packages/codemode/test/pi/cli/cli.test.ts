import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "@nestbox/tool/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

// The shipped command line of Pi, with this package's extension in it and a model that is a script.
const SERVER = fileURLToPath(new URL("./notes-server.mjs", import.meta.url));
const EXTENSIONS = [
  new URL("./scripted-model.ts", import.meta.url),
  new URL("./codemode.ts", import.meta.url),
];
const pi = join(
  dirname(createRequire(import.meta.url).resolve("@earendil-works/pi-coding-agent")),
  "bundle/cli.js",
);
let home: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "cli-"));
  await mkdir(join(home, "agent"));
  const notes = { command: process.execPath, args: [SERVER] };
  await writeFile(join(home, "agent/mcp.json"), JSON.stringify({ mcpServers: { notes } }));
});

afterAll(() => rm(home, { recursive: true, force: true }));

async function run(code: string, ...flags: string[]) {
  const extensions = EXTENSIONS.flatMap((url) => ["-e", fileURLToPath(url)]);
  const args = ["--conditions=@nestbox/source", pi, "--no-session", ...extensions, "--model", "scripted/m"];
  const result = await runCommand(process.execPath, [...args, ...flags, "-p", code], {
    cwd: home,
    env: { HOME: home, PI_CODING_AGENT_DIR: join(home, "agent"), PI_OFFLINE: "1" },
    timeoutMs: 100_000,
  });
  return result;
}

describe("in the shipped command line", { timeout: 120_000 }, () => {
  test("a tool named codemode takes the place of the built-in one", async () => {
    const { stdout, output } = await run(
      "const x: number = 20; return [x + 1, typeof setTimeout]",
      "--tools",
      "+codemode",
    );
    expect(output).toContain("so built-in extension `codemode` was not loaded");
    expect(stdout).toContain("Script completed");
    expect(stdout).toContain('[21,"function"]');
  });

  test("it reaches MCP tools, and their value is the whole result", async () => {
    // R5: the exception of Pi
    const { stdout } = await run(
      "const r = await tools.mcp__notes__find_note({ words: 'x' });\nreturn [r.structuredContent.text, r.content.length, (await searchTools('note')).map((t) => t.name)]",
    );
    expect(stdout).toContain('["found x",1,["mcp__notes__find_note"]]');
  });
});
