/** The packages that users get, and their tarballs. */
import { execFileSync, type ExecFileSyncOptions } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly files?: readonly string[];
  readonly license?: string;
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly publishConfig?: { readonly access?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface PublicPackage {
  readonly manifest: Manifest;
  /** Relative to the workspace. */
  readonly folder: string;
}

/** Every package that is published, by name. */
export function publicPackages(root: string): readonly PublicPackage[] {
  return globSync("{packages,apps}/*/package.json", { cwd: root })
    .map((file) => ({
      manifest: JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest,
      folder: dirname(file).replaceAll("\\", "/"),
    }))
    .filter(({ manifest }) => manifest.private !== true)
    .sort((a, b) => a.manifest.name.localeCompare(b.manifest.name));
}

/** Runs a program and gives what it printed, unless that is shown; its errors are always shown. */
export function run(file: string, args: readonly string[], options: ExecFileSyncOptions): string {
  const printed: Buffer | string | null = execFileSync(file, args, {
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  return printed?.toString() ?? "";
}

/** Packs every public package of a workspace that is built; gives the files by the names of the packages. */
export function packAll(root: string, into: string): ReadonlyMap<string, string> {
  const tarballs = new Map<string, string>();
  for (const { manifest, folder } of publicPackages(root)) {
    run("pnpm", ["pack", "--pack-destination", into], { cwd: join(root, folder) });
    const name = `${manifest.name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
    tarballs.set(manifest.name, join(into, name));
  }
  return tarballs;
}
