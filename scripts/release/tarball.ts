/** What is in a package's tarball, and what is wrong with it. */
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

import type { Manifest } from "./workspace.ts";

export interface Tarball {
  readonly path: string;
  readonly manifest: Manifest;
  /** Paths of its files, below `package/`. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly bytes: number;
}

/** Files that npm adds whatever `files` says. */
const ALWAYS = new Set(["package.json", "README.md", "LICENSE", "CHANGELOG.md"]);
/** Ranges that only a workspace understands. */
const OWN_PROTOCOL = /^(?:workspace|catalog|link|file|portal):/;
const REPOSITORY = "git+https://github.com/nestbox-dev/nestbox.git";

export function readTarball(path: string): Tarball {
  const tar = (...args: readonly string[]): string =>
    execFileSync("tar", args, { maxBuffer: 64 * 1024 * 1024 }).toString();
  const files = tar("-tzf", path)
    .split("\n")
    .filter((name) => name !== "" && !name.endsWith("/"))
    .map((name) => name.replace(/^package\//, ""));
  const manifest = JSON.parse(tar("-xzOf", path, "package/package.json")) as Manifest;
  return { path, manifest, files: files.sort(), bytes: statSync(path).size };
}

/** Everything that must not be published. `folder` is where the package is in the repository. */
export async function tarballFaults(tarball: Tarball, folder: string): Promise<readonly string[]> {
  return [
    ...manifestFaults(tarball, folder),
    ...fileFaults(tarball),
    ...(await publintFaults(tarball)),
    ...(await typeFaults(tarball)),
  ];
}

function manifestFaults({ manifest }: Tarball, folder: string): readonly string[] {
  const faults: string[] = [];
  for (const field of ["dependencies", "peerDependencies", "optionalDependencies"] as const) {
    for (const [name, range] of Object.entries(manifest[field] ?? {}))
      if (OWN_PROTOCOL.test(range))
        faults.push(`${field}.${name} is ${range}, which nobody else understands`);
  }
  if (manifest.license !== "MIT") faults.push("it names no licence");
  if (manifest.publishConfig?.access !== "public") faults.push("publishConfig.access is not public");
  // Provenance ties the package to this place, and npm refuses one that names another.
  if (manifest.repository?.url !== REPOSITORY) faults.push(`repository.url is not ${REPOSITORY}`);
  if (manifest.repository?.directory !== folder) faults.push(`repository.directory is not ${folder}`);
  return faults;
}

function fileFaults({ manifest, files }: Tarball): readonly string[] {
  const faults: string[] = [];
  for (const needed of ["README.md", "LICENSE", "package.json"])
    if (!files.includes(needed)) faults.push(`${needed} is missing`);
  const listed = manifest.files ?? [];
  for (const file of files) {
    if (ALWAYS.has(file)) continue;
    if (!listed.some((entry) => file === entry || file.startsWith(`${entry.replace(/\/$/, "")}/`)))
      faults.push(`${file} is not among its files`);
    if (/(?:^|\/)(?:\.env|\.npmrc|node_modules|\.reports|\.turbo)(?:\/|$)|\.(?:pem|tgz)$/.test(file))
      faults.push(`${file} is nothing to publish`);
  }
  return faults;
}

async function publintFaults({ path }: Tarball): Promise<readonly string[]> {
  const { messages, pkg } = await publint({ pack: { tarball: bytesOf(path) }, strict: true });
  return messages
    .filter(({ type }) => type !== "suggestion")
    .map((message) => `publint: ${formatMessage(message, pkg, { color: false }) ?? message.code}`);
}

/** Types as an ESM-only package owes them: for `import` and for bundlers. */
async function typeFaults({ path, manifest }: Tarball): Promise<readonly string[]> {
  if (!Object.hasOwn(manifest, "exports")) return [];
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytesOf(path))));
  if (analysis.types === false) return ["attw: it has no types"];
  return analysis.problems
    .filter(
      (problem) =>
        !("resolutionKind" in problem) || !["node10", "node16-cjs"].includes(problem.resolutionKind),
    )
    .filter(({ kind }) => kind !== "CJSResolvesToESM")
    .map((problem) => `attw: ${problem.kind}${"entrypoint" in problem ? ` at ${problem.entrypoint}` : ""}`);
}

function bytesOf(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
