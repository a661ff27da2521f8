import { glob } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";

import { limits } from "../../limits.ts";
import { list, own, text, type Fields, fields } from "../../reports/read.ts";
import {
  ancestors,
  binFolders,
  exists,
  findProgram,
  pathFolders,
  readJsonFile,
  readTextFile,
} from "../files.ts";

export type PackageManager = "npm" | "pnpm" | "yarn" | "bun";

/** A folder with a `package.json`. */
export interface PackageFolder {
  /** Absolute. */
  readonly folder: string;
  readonly scripts: ReadonlyMap<string, string>;
  readonly dependencies: ReadonlySet<string>;
  readonly manifest: Fields;
}

export async function readPackage(folder: string): Promise<PackageFolder | undefined> {
  const manifest = await readJsonFile(join(folder, "package.json"));
  if (manifest === undefined) return undefined;
  const scripts = new Map<string, string>();
  for (const [name, value] of Object.entries(fields(own(manifest, "scripts")) ?? {})) {
    if (typeof value === "string") scripts.set(name, value);
  }
  const dependencies = new Set(
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].flatMap((key) =>
      Object.keys(fields(own(manifest, key)) ?? {}),
    ),
  );
  return { folder, scripts, dependencies, manifest };
}

/** Why a `package.json` that is there tells nothing, as while a merge is not resolved; `undefined` where it can be read. */
export async function manifestFault(folder: string): Promise<string | undefined> {
  const path = join(folder, "package.json");
  if (!(await exists(path)) || (await readJsonFile(path)) !== undefined) return undefined;
  return "package.json cannot be read: it is not a JSON object, or too large";
}

const lockFiles: readonly (readonly [string, PackageManager])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["pnpm-workspace.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
  ["package-lock.json", "npm"],
  ["npm-shrinkwrap.json", "npm"],
];

/** The package manager of a folder: the `packageManager` field, then the lock file, of the folder or one above it. */
export async function packageManagerOf(folder: string): Promise<PackageManager> {
  for (const at of ancestors(folder)) {
    const named = text(await readJsonFile(join(at, "package.json")), "packageManager");
    const field = /^(npm|pnpm|yarn|bun)@/.exec(named ?? "")?.[1];
    if (field !== undefined) return field as PackageManager;
    for (const [file, manager] of lockFiles) {
      if (await exists(join(at, file))) return manager;
    }
    // What lies above a repository is not part of the project.
    if (await exists(join(at, ".git"))) break;
  }
  return "npm";
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** How a person would write it. */
  readonly label: string;
}

/**
 * How to run a script of a package with more arguments. Where the project's package manager is not installed, Node
 * itself runs the script (`node --run`).
 */
export async function scriptCommand(
  target: PackageFolder,
  name: string,
  extra: readonly string[] = [],
): Promise<Command | undefined> {
  const manager = await packageManagerOf(target.folder);
  const folders = [...binFolders(target.folder), ...pathFolders()];
  const label = manager === "yarn" ? `yarn ${name}` : `${manager} run ${name}`;
  const file = await findProgram(manager, folders);
  const rest = extra.length === 0 ? [] : ["--", ...extra];
  if (file !== undefined) {
    if (manager === "npm") return { file, args: ["run", "--silent", name, ...rest], label };
    if (manager === "pnpm") return { file, args: ["--silent", "run", name, ...extra], label };
    return { file, args: ["run", name, ...extra], label };
  }
  const node = (await findProgram("node", folders)) ?? process.execPath;
  return { file: node, args: ["--run", name, ...rest], label: `node --run ${name}` };
}

/** The packages of the workspace whose root is `folder`, sorted by path; empty when it is no workspace. */
export async function workspaceFolders(folder: string): Promise<readonly string[]> {
  const manifest = await readJsonFile(join(folder, "package.json"));
  const field = own(manifest, "workspaces");
  const fromManifest = Array.isArray(field) ? (field as readonly unknown[]) : list(field, "packages");
  const pnpm = await readTextFile(join(folder, "pnpm-workspace.yaml"), 256 * 1024);
  const patterns = [...fromManifest, ...(pnpm === undefined ? [] : pnpmPackages(pnpm))].filter(
    (pattern): pattern is string => typeof pattern === "string" && isInside(pattern),
  );
  const included = patterns.filter((pattern) => !pattern.startsWith("!"));
  const excluded = patterns.filter((pattern) => pattern.startsWith("!")).map((pattern) => pattern.slice(1));
  const found = new Set<string>();
  for (const pattern of included) {
    const files = glob(`${pattern.replace(/\/+$/, "")}/package.json`, {
      cwd: folder,
      exclude: (name) => name.endsWith("node_modules"),
    });
    for await (const file of files) {
      const at = dirname(join(folder, file));
      const inside = relative(folder, at).split(sep).join("/");
      if (inside !== "" && !excluded.some((out) => matches(out, inside))) found.add(at);
      if (found.size >= limits.projects) break;
    }
  }
  return [...found].toSorted();
}

function isInside(pattern: string): boolean {
  const plain = pattern.replace(/^!/, "");
  return plain !== "" && plain.length < 300 && !plain.startsWith("/") && !plain.split(/[\\/]/).includes("..");
}

function matches(pattern: string, path: string): boolean {
  const stem = pattern.replace(/\/?\*\*?$/, "");
  return (
    path === stem ||
    path.startsWith(`${stem}/`) ||
    (stem.startsWith("**/") && path.split("/").includes(stem.slice(3)))
  );
}

/** The `packages:` list of a `pnpm-workspace.yaml`, in block or flow style. */
function pnpmPackages(source: string): readonly string[] {
  const lines = source.split("\n");
  const start = lines.findIndex((line) => line.startsWith("packages:"));
  if (start === -1) return [];
  const flow = /^packages:\s*\[(.*)\]/.exec(lines[start] ?? "")?.[1];
  if (flow !== undefined)
    return flow
      .split(",")
      .map(unquote)
      .filter((item) => item !== "");
  const items: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const item = /^\s*-\s+(.+?)\s*(?:#.*)?$/.exec(line)?.[1];
    if (item !== undefined) items.push(unquote(item));
    else if (/^\S/.test(line) && !line.startsWith("#")) break;
  }
  return items;
}

function unquote(text: string): string {
  return text.trim().replace(/^(["'])(.*)\1$/, "$2");
}
