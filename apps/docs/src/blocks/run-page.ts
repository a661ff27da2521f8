/**
 * Does what a page says, in an empty folder and an empty home: a block that names a file (`// guard.ts` in its first
 * line) is written, a block of commands that is marked `run` is run, and a block of text that is marked `output` is what
 * those commands print. Pages are ours: nothing else is ever run.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { runCommand } from "@nestbox/tool/node";

import type { Block, Page } from "../markdown.ts";
import { root } from "../root.ts";
import type { Fault } from "./fault.ts";

export function isRun({ language, words }: Block): boolean {
  return language === "sh" && words.includes("run");
}

/** What went otherwise than the page says. */
export async function runPage({ blocks }: Page): Promise<readonly Fault[]> {
  const reports = join(root, "apps/docs/.reports");
  mkdirSync(reports, { recursive: true });
  // Inside of this package, so that the page's files find the packages that a reader would have installed.
  const folder = mkdtempSync(join(reports, "page-"));
  try {
    const project = join(folder, "project");
    const env = makeSurroundings(folder);
    mkdirSync(project);
    const faults: Fault[] = [];
    let printed = "";
    for (const block of blocks) {
      const at = { page: block.page, line: block.line };
      const file = /^\/\/ ((?:[\w.-]+\/)*[\w.-]+\.\w+)\n/.exec(block.text)?.[1];
      if (file !== undefined) {
        mkdirSync(dirname(join(project, file)), { recursive: true });
        writeFileSync(join(project, file), block.text);
      } else if (isRun(block)) {
        // A page may show a command that fails; what it prints then is what counts.
        const ran = await runCommand("bash", ["-c", block.text], { cwd: project, env, timeoutMs: 240_000 });
        if (ran.kind !== "exited") return [{ ...at, message: `the commands did not end: ${ran.kind}` }];
        printed = ran.output;
        if (ran.exitCode === 127) return [{ ...at, message: printed }];
      } else if (block.words.includes("output") && !matches(printed, block.text)) {
        faults.push({ ...at, message: `the commands print\n${printed}` });
      }
    }
    return faults;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A `nestbox` that is run from its source, in a place of its own. */
function makeSurroundings(folder: string): Record<string, string> {
  const bin = join(folder, "bin");
  const home = join(folder, "home");
  mkdirSync(bin);
  mkdirSync(home);
  const main = join(root, "apps/cli/src/main.ts");
  writeFileSync(join(bin, "nestbox"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(join(bin, "nestbox"), 0o755);
  return {
    PATH: [bin, dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    NO_COLOR: "1",
    NODE_OPTIONS: "--conditions=@nestbox/source",
  };
}

/** Whether `printed` is `shown`, in which `…` stands for anything and a duration for any other. */
function matches(printed: string, shown: string): boolean {
  const pattern = normal(shown)
    .split(/\s*…\s*/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[^]*");
  return new RegExp(`^${pattern}$`).test(normal(printed));
}

function normal(text: string): string {
  return text
    .replaceAll(/\d+(?:\.\d+)? m?s\b/g, "0 ms")
    .replaceAll(/ +/g, " ")
    .replaceAll(/[ \t]+$/gm, "")
    .trim();
}
