import { execFile, type ExecFileOptions } from "node:child_process";
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Result {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and tells how it ended; never rejects for an exit code. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(
      file,
      [...args],
      { maxBuffer: 64 * 1024 * 1024, ...options, encoding: "utf8" },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
        resolve({ exitCode, stdout, stderr: error !== null && stderr === "" ? error.message : stderr });
      },
    );
    // A program that asks gets no answer rather than waiting for one.
    child.stdin?.end();
  });
}

/** Like {@link runProgram}, but an exit code is an error that shows the output. */
export async function mustRun(
  file: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await runProgram(file, args, options);
  if (exitCode !== 0)
    throw new Error(`${basename(file)} ${args.join(" ")} ended with ${exitCode}\n${stdout}\n${stderr}`);
  return stdout;
}

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
}

/** A public package of the workspace, and the file that users get. */
export interface Packed {
  readonly name: string;
  readonly manifest: Manifest;
  readonly tarball: string;
}

/** Builds and packs every public package into `folder`. */
export async function packAll(folder: string): Promise<readonly Packed[]> {
  await mustRun("turbo", ["run", "build", "--ui=stream", "--output-logs=errors-only"], { cwd: root });
  const packed: Packed[] = [];
  for (const file of globSync("{packages,apps}/*/package.json", { cwd: root })) {
    const manifest = JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest;
    if (manifest.private === true) continue;
    const before = new Set(globSync("*.tgz", { cwd: folder }));
    await mustRun("pnpm", ["pack", "--pack-destination", folder], { cwd: join(root, file, "..") });
    const tarball = globSync("*.tgz", { cwd: folder }).find((name) => !before.has(name));
    if (tarball === undefined) throw new Error(`${manifest.name} left no tarball`);
    packed.push({ name: manifest.name, manifest, tarball: join(folder, tarball) });
  }
  return packed;
}

/** An empty project outside the workspace. */
export function emptyProject(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `nestbox-packed-${name}-`));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }));
  return folder;
}

/** Installs tarballs with npm, as a user does; every one that another one needs is among them. */
export async function install(
  folder: string,
  tarballs: readonly string[],
  more: readonly string[] = [],
  env = process.env,
): Promise<void> {
  await mustRun("npm", ["install", "--no-audit", "--no-fund", ...tarballs, ...more], { cwd: folder, env });
}

/** The environment of a user: no variable of this workspace's tools, and a PATH of our choice in front. */
export function userEnvironment(pathFirst: readonly string[] = []): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (!/^(npm_|pnpm_|TURBO_|VITEST|NODE_OPTIONS|NODE_PATH|INIT_CWD)/i.test(key)) env[key] = value;
  }
  const own = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => !folder.startsWith(root.replace(/\/$/, "")));
  env["PATH"] = [...pathFirst, ...own].join(delimiter);
  return env;
}

const nodes = new Map<string, Promise<string>>();

/** Installs one Node release as a package, once for all tests, and answers the path of its program. */
export function installNode(major: string): Promise<string> {
  const installed = nodes.get(major) ?? fetchNode(major);
  nodes.set(major, installed);
  return installed;
}

async function fetchNode(major: string): Promise<string> {
  const folder = emptyProject(`node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  await mustRun("npm", ["install", "--no-audit", "--no-fund", `${name}@${major}`], { cwd: folder });
  return join(folder, "node_modules", name, "bin/node");
}

let bun: Promise<string> | undefined;

/** Installs Bun as a package, once for all tests, and answers the path of its program. */
export function installBun(): Promise<string> {
  bun ??= fetchBun();
  return bun;
}

async function fetchBun(): Promise<string> {
  const folder = emptyProject("bun");
  // What the package named `bun` chooses from, in the script that it runs when it is installed.
  const name = `@oven/bun-${process.platform}-${process.arch === "arm64" ? "aarch64" : process.arch}`;
  await mustRun("npm", ["install", "--no-audit", "--no-fund", `${name}@1.4.5`], { cwd: folder });
  return join(folder, "node_modules", name, "bin/bun");
}

/** The command lines of the processes that name this folder. */
export async function processesIn(folder: string): Promise<readonly string[]> {
  const listed = await mustRun("ps", ["-A", "-ww", "-o", "args"]);
  return listed.split("\n").filter((line) => line.includes(folder));
}

/** A folder of links to exactly these programs, to be a whole PATH: no other Node and no compiler is found. */
export function onlyPrograms(programs: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "nestbox-packed-path-"));
  for (const [name, target] of Object.entries(programs)) symlinkSync(target, join(folder, name));
  return folder;
}

/** The example project with its uncommitted change, as a repository. */
export async function brokenCart(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "nestbox-packed-cart-"));
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "examples/projects/cart"), folder, { recursive: true });
  const git = (...args: string[]) =>
    mustRun(
      "git",
      [
        "-c",
        "user.name=Test",
        "-c",
        "user.email=test@example.invalid",
        "-c",
        "commit.gpgSign=false",
        ...args,
      ],
      {
        cwd: folder,
      },
    );
  await git("init", "--quiet");
  await git("add", ".");
  await git("commit", "--quiet", "--message", "A cart that adds up");
  cpSync(join(root, "examples/projects/cart-change"), folder, { recursive: true });
  return folder;
}
