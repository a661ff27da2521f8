import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { runCommand } from "@nestbox/tool/node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

// The shipped command line of Pi with this extension, offline and with no model.
const cli = join(
  dirname(createRequire(import.meta.url).resolve("@earendil-works/pi-coding-agent")),
  "bundle/cli.js",
);
const extension = fileURLToPath(new URL("../src/index.ts", import.meta.url));

let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "nestbox-cli-"));
  mkdirSync(join(home, "agent"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function args(...flags: string[]): string[] {
  return ["--conditions=@nestbox/source", cli, "--no-session", "-e", extension, ...flags];
}

function env(): Record<string, string> {
  return { HOME: home, PI_CODING_AGENT_DIR: join(home, "agent"), PI_OFFLINE: "1" };
}

function run(...flags: string[]) {
  return runCommand(process.execPath, args(...flags), { cwd: home, env: env(), timeoutMs: 100_000 });
}

type Line = Readonly<Record<string, unknown>>;

/** Talks to Pi's RPC mode: sends one prompt, answers every question with the same choice, ends with the prompt. */
async function rpc(message: string, answer: string): Promise<readonly Line[]> {
  const child = spawn(process.execPath, args("--mode", "rpc"), {
    cwd: home,
    env: { PATH: process.env["PATH"], ...env() },
    stdio: ["pipe", "pipe", "ignore"],
    timeout: 100_000,
  });
  const lines: Line[] = [];
  child.stdin.write(`${JSON.stringify({ id: "1", type: "prompt", message })}\n`);
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    if (line["type"] === "extension_ui_request" && line["method"] === "select") {
      const response = { type: "extension_ui_response", id: line["id"], value: answer };
      child.stdin.write(`${JSON.stringify(response)}\n`);
    }
    if (line["type"] === "response" && line["id"] === "1") child.stdin.end();
  }
  return lines;
}

describe("in the shipped command line", { timeout: 120_000 }, () => {
  it("runs a script by hand in print mode, with the result on standard error", async () => {
    const { stdout, stderr, kind } = await run("-p", "/codemode return 6 * 7");
    expect(stderr).toMatch(/Script completed\nWall time[^]*\n42\n/);
    expect(stdout).toBe("");
    expect(kind).toBe("exited");
  });

  it("puts the result into the event stream of JSON mode, and nothing else onto standard output", async () => {
    const { stdout } = await run(
      "--mode",
      "json",
      "/codemode return await tools.write({ path: 'a', content: 'b' })",
    );
    const events = stdout
      .trim()
      .split("\n")
      .map(
        (line) => JSON.parse(line) as { type: string; message?: { customType?: string; content?: unknown } },
      );
    const result = events.find(
      ({ type, message }) => type === "message_end" && message?.customType === "nestbox-run",
    );
    // contract A8
    expect(JSON.stringify(result?.message?.content)).toMatch(/Script failed.*no UI through which a person/);
    expect(existsSync(join(home, "a"))).toBe(false);
  });

  it("asks over RPC with all that will run, and does what was answered", async () => {
    const lines = await rpc(
      "/codemode await tools.write({ path: 'a', content: 'b' }); return 'wrote'",
      "Allow once",
    );
    const question = lines.find(({ method }) => method === "select");
    expect(question?.["title"]).toMatch(/Allow codemode › write\?\n {2}script line 1: await tools[^]*\+1 b/);
    expect(readFileSync(join(home, "a"), "utf8")).toBe("b");
    const result = lines.find(({ type }) => type === "message_end");
    expect(JSON.stringify(result)).toContain("wrote");
  });
});
