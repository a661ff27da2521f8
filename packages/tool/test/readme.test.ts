import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "@nestbox/tool/testing";
import { expect, it } from "vitest";
import { status } from "./readme/status.ts";

const folder = join(import.meta.dirname, "readme");

it("every example of the README is a file that is type-checked and run here", () => {
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const blocks = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, block = ""]) => block);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  expect(blocks.sort()).toEqual(files.sort());
});

it("the command of the README gives its exit code as data", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "nestbox-readme-"));
  try {
    expect(await runTool(status, {}, { cwd })).toMatchObject({
      structured: { exitCode: 128 },
      isError: false,
    });
    execFileSync("git", ["init", "-q"], { cwd });
    writeFileSync(join(cwd, "new.txt"), "");
    expect(await runTool(status, {}, { cwd })).toMatchObject({
      structured: { exitCode: 0 },
      text: "?? new.txt\n",
    });
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
