import { readdir } from "node:fs/promises";
import { join, posix } from "node:path";

import { limits } from "../limits.ts";
import { importWords } from "../reports/imports.ts";
import { isFile, readTextFile } from "./files.ts";

const endings = [
  "",
  ".ts",
  ".tsx",
  ".js",
  ".jsx",
  ".mts",
  ".cts",
  ".mjs",
  ".cjs",
  ".json",
  ".vue",
  ".svelte",
];
const indexes = ["index.ts", "index.tsx", "index.js", "index.jsx", "index.mjs"];

/**
 * The project files that a file loads, directly or through others, nearest first: what a failure of it may be about.
 * Relative imports of JavaScript and TypeScript, modules of Python below the project, packages of the same Go module,
 * modules of the same crate. Aliases and workspace packages are not followed.
 */
export async function importedFiles(root: string, path: string): Promise<readonly string[]> {
  const found = new Set<string>();
  const queue = [path];
  const module = /^module\s+"?([^\s"]+)/m.exec(
    (await readTextFile(join(root, "go.mod"), limits.sourceBytes)) ?? "",
  )?.[1];
  for (let next = queue.shift(); next !== undefined && found.size < limits.imports; next = queue.shift()) {
    const source = await readTextFile(join(root, next), limits.sourceBytes);
    if (source === undefined) continue;
    for (const file of await resolveImports(root, next, source, module)) {
      if (file === path || found.has(file) || found.size >= limits.imports) continue;
      found.add(file);
      queue.push(file);
    }
  }
  return [...found];
}

async function resolveImports(
  root: string,
  path: string,
  source: string,
  module: string | undefined,
): Promise<readonly string[]> {
  const words = importWords(path, source);
  const folder = posix.dirname(path);
  const files: string[] = [];
  for (const word of words.relative) {
    const at = posix.join(folder, word);
    const stem = at.replace(/\.([cm]?)jsx?$/, ".$1");
    const sources = stem === at ? [] : [`${stem}ts`, `${stem}tsx`];
    files.push(
      ...(await firstOf(root, [
        ...endings.map((end) => at + end),
        ...sources,
        ...indexes.map((name) => posix.join(at, name)),
      ])),
    );
  }
  for (const word of words.python) {
    const dots = /^\.*/.exec(word)?.[0].length ?? 0;
    const inner = word.slice(dots).replaceAll(".", "/");
    const bases =
      dots > 0
        ? [posix.join(folder, ...Array.from({ length: dots - 1 }, () => ".."))]
        : [".", "src", folder, posix.join(folder, "..")];
    files.push(
      ...(await firstOf(
        root,
        bases.flatMap((base) => [posix.join(base, `${inner}.py`), posix.join(base, inner, "__init__.py")]),
      )),
    );
  }
  if (path.endsWith(".go")) {
    const packages = words.go.flatMap((name) =>
      module !== undefined && name.startsWith(`${module}/`)
        ? [name.slice(module.length + 1)]
        : name === module
          ? ["."]
          : [],
    );
    for (const at of [folder, ...packages]) files.push(...(await sourcesIn(root, at, /(?<!_test)\.go$/)));
  }
  if (path.endsWith(".rs")) {
    const crate =
      path.startsWith("tests/") || path.startsWith("src/")
        ? "src"
        : path.replace(/\/(?:tests|src)\/.*$/, "/src");
    if (/(?:^|\/)tests\//.test(path)) files.push(...(await firstOf(root, [`${crate}/lib.rs`])));
    for (const word of words.rust) {
      const parts = word.split("::").filter((part) => part !== "");
      const tries = parts.map((_part, index) => parts.slice(0, parts.length - index).join("/"));
      for (const base of [crate, folder])
        files.push(
          ...(await firstOf(
            root,
            tries.flatMap((at) => [`${base}/${at}.rs`, `${base}/${at}/mod.rs`]),
          )),
        );
    }
  }
  return files;
}

/** The first of the candidates that is a file inside the project. */
async function firstOf(root: string, candidates: readonly string[]): Promise<readonly string[]> {
  for (const candidate of candidates) {
    const path = posix.normalize(candidate);
    if (path.startsWith("..") || path.startsWith("/")) continue;
    if (await isFile(join(root, path))) return [path];
  }
  return [];
}

async function sourcesIn(root: string, folder: string, pattern: RegExp): Promise<readonly string[]> {
  if (posix.normalize(folder).startsWith("..")) return [];
  const names = await readdir(join(root, folder)).catch(() => []);
  return names
    .filter((name) => pattern.test(name))
    .slice(0, limits.imports)
    .map((name) => posix.join(folder, name));
}
