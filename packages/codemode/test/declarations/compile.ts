import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runCommand } from "@nestbox/tool/node";

const FLAGS = [
  "--ignoreConfig",
  "--noEmit",
  "--strict",
  "--target",
  "esnext",
  "--types",
  "",
  "--pretty",
  "false",
];

/** What the compiler says of one file. */
export async function compile(name: string, text: string): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), "compile-"));
  try {
    await writeFile(join(cwd, name), text);
    const folder = createRequire(import.meta.url).resolve("typescript/package.json");
    const compiler = folder.replace("package.json", "bin/tsc");
    const { output } = await runCommand(process.execPath, [compiler, ...FLAGS, name], { cwd });
    return output;
  } finally {
    await rm(cwd, { recursive: true });
  }
}
