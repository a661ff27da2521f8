import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import type { Command } from "commander";
import { parse } from "jsonc-parser";
import { compileSchema } from "@nestbox/tool";
import { afterAll, describe, expect, it } from "vitest";

import { configSchema } from "../src/config/schema.ts";
import { exitCodes } from "../src/exit-codes.ts";
import { createProgram } from "../src/program.ts";
import { nestbox } from "./support/nestbox.ts";

const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
const folder = mkdtempSync(join(tmpdir(), "nestbox-readme-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function block(language: string, containing: string): string {
  for (const [, found = ""] of readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm")))
    if (found.includes(containing)) return found;
  throw new Error(`no ${language} block with ${containing}`);
}

const program = createProgram({
  streams: { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
  signal: new AbortController().signal,
  done: () => {},
});

function commandsOf(command: Command): readonly Command[] {
  return command.commands.flatMap((one) => [one, ...commandsOf(one)]);
}

describe("the README", () => {
  it("names every command and every option", () => {
    for (const command of commandsOf(program)) {
      expect(readme).toMatch(new RegExp(`\`[^\`]*\\b${command.name()}\\b`));
      for (const { long } of command.options)
        expect(readme, `${command.name()} ${long}`).toContain(long ?? "?");
    }
  });

  it("names every exit code", () => {
    const table = readme.slice(readme.indexOf("## Exit codes"), readme.indexOf("## Your own tools"));
    for (const code of Object.values(exitCodes)) expect(table).toMatch(new RegExp(`^\\| ${code} +\\|`, "m"));
  });

  it("has tools that run", async () => {
    const tools = join(folder, "tools.mjs");
    writeFileSync(tools, block("js", "// tools.mjs"));
    const line = block("sh", "echo ");
    const script = /^echo '(.*)' \| nestbox run - --tools \.\/tools\.mjs$/m.exec(line)?.[1];
    const { exitCode, stdout } = await nestbox(["run", "-", "--tools", tools], script);
    expect(stdout).toBe("Hello Ada\n");
    expect(exitCode).toBe(0);
  });

  it("has a config that fits its schema", () => {
    const config: unknown = parse(block("jsonc", "timeoutMs"), [], { allowTrailingComma: true });
    expect(compileSchema(configSchema).check(config)).toMatchObject({ ok: true });
  });

  it("has a client's configuration whose words exist", async () => {
    const { mcpServers } = JSON.parse(block("json", "mcpServers")) as {
      mcpServers: { nestbox: { args: string[] } };
    };
    const { stderr } = await nestbox(mcpServers.nestbox.args);
    expect(stderr).toMatch(/Policy review\.policy\.jsonc: there is no such file/);
  });
});
