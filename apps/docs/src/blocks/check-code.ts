/**
 * Type-checks the blocks of TypeScript and JavaScript: each is a file of its own, the pages' blocks that name a file
 * (`// tool.ts` in the first line) can import each other, and one run of the compiler reads them all against the
 * packages' sources.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { runCommand } from "@nestbox/tool/node";

import type { Block } from "../markdown.ts";
import { root } from "../root.ts";
import type { Fault } from "./fault.ts";
import { given, type Given } from "./given.ts";

const LANGUAGES: Readonly<Record<string, string>> = { ts: ".ts", typescript: ".ts", js: ".js" };

export function isCode({ language }: Block): boolean {
  return Object.hasOwn(LANGUAGES, language);
}

/** Whether a block is the body of a script, with its `return`, and not a module. */
export function isScript(block: Block): boolean {
  return block.words.includes("script");
}

/** Every fault of these blocks; scripts are not for here. */
export async function checkCode(
  blocks: readonly Block[],
  context: Readonly<Record<string, Given>> = given,
): Promise<readonly Fault[]> {
  const faults: Fault[] = [];
  const reports = join(root, "apps/docs/.reports");
  mkdirSync(reports, { recursive: true });
  const folder = mkdtempSync(join(reports, "blocks-"));
  try {
    const written = new Map<string, Block>();
    for (const block of blocks) {
      const here = Object.hasOwn(context, block.page) ? context[block.page] : undefined;
      if (isQuoted(block, here)) continue;
      const name = join(block.page.replaceAll(/[/.]/g, "-"), fileName(block));
      if (written.has(name)) faults.push({ ...at(block), message: `${name} is shown twice` });
      written.set(name, block);
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      // In one line, so that the block's lines are shifted by one.
      writeFileSync(join(folder, name), `${declarations(block.text, here)}\n${block.text}\nexport {};\n`);
    }
    const found = written.size === 0 ? [] : await compile(folder);
    for (const { name, line, message } of found) {
      const block = written.get(name);
      // What the blocks import has checks of its own.
      if (block) faults.push({ page: block.page, line: block.line + line - 2, message });
      else if (!name.startsWith("..")) throw new Error(`${name}: ${message}`);
    }
    return faults;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function at({ page, line }: Block): { readonly page: string; readonly line: number } {
  return { page, line };
}

/** Whether the block is a part of a file that is type-checked, and run, where it belongs. */
function isQuoted(block: Block, here: Given | undefined): boolean {
  const files = [
    ...(here?.quotes ?? []).map((file) => ({ file, holds: stands })),
    // A package's own test of its README has the blocks as files, around which it says what they take for granted.
    ...globSync(`${dirname(block.page)}/test/readme/*.ts`, { cwd: root }).map((file) => ({
      file,
      holds: (text: string, source: string) => source.includes(text),
    })),
  ];
  return files.some(({ file, holds }) => holds(block.text, readFileSync(root + file, "utf8")));
}

function fileName(block: Block): string {
  const extension = LANGUAGES[block.language] ?? ".ts";
  const named = /^\/\/ ((?:[\w.-]+\/)*[\w.-]+\.m?[jt]s)\n/.exec(block.text)?.[1];
  if (named !== undefined) return named;
  return `line-${block.line}${extension}`;
}

/** Declares what the page takes for granted, except what the block declares itself. */
function declarations(text: string, here: Given | undefined): string {
  return Object.entries(here?.names ?? {})
    .filter(([name]) => !new RegExp(`\\b(?:const|let|function|class) ${name}\\b`).test(text))
    .filter(([name]) => !new RegExp(`^import .*\\b${name}\\b`, "m").test(text))
    .map(([name, type]) => `declare const ${name}: ${type};`)
    .join(" ");
}

/** Whether each line of `text` that is not a comment stands in `source`, in this order. */
function stands(text: string, source: string): boolean {
  const lines = source.split("\n").map((line) => line.trim().replace(/^await using /, "const "));
  let next = 0;
  for (const line of text.split("\n").map((one) => one.trim())) {
    if (line === "" || line.startsWith("//")) continue;
    const found = lines.indexOf(line, next);
    if (found === -1) return false;
    next = found + 1;
  }
  return true;
}

interface Diagnostic {
  readonly name: string;
  readonly line: number;
  readonly message: string;
}

async function compile(folder: string): Promise<readonly Diagnostic[]> {
  const config = {
    extends: join(root, "tsconfig.base.json"),
    compilerOptions: {
      noUnusedLocals: false,
      noUnusedParameters: false,
      // A page may leave the type of a parameter to its reader.
      noImplicitAny: false,
      allowJs: true,
      checkJs: false,
    },
    include: ["."],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const checked = await runCommand(process.execPath, [compiler, "-p", folder, "--pretty", "false"], {
    cwd: folder,
    timeoutMs: 240_000,
  });
  if (checked.kind !== "exited") throw new Error(`The compiler did not finish: ${checked.kind}`);
  const found = [...checked.output.matchAll(/^(\S[^(\n]*)\((\d+),\d+\): error (TS\d+: .*)$/gm)].map(
    ([, name = "", line = "1", message = ""]) => ({ name, line: Number(line), message }),
  );
  if (checked.exitCode !== 0 && found.length === 0) throw new Error(checked.output);
  return found;
}
