/**
 * Does all of a release except publishing, in a copy of the working tree: the versions of the changesets, a build, a
 * tarball of every public package, and the checks of what is in it. The tree itself is not touched.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { readTarball, tarballFaults } from "./tarball.ts";
import { packAll, publicPackages, run } from "./workspace.ts";
import { workflowFaults } from "./workflow.ts";

export interface Rehearsal {
  readonly packages: readonly {
    readonly name: string;
    readonly version: string;
    readonly bytes: number;
    readonly files: number;
    /** No changeset names it: it stays as it is on the registry. */
    readonly unchanged: boolean;
  }[];
  readonly faults: readonly string[];
}

export async function rehearse(root: string): Promise<Rehearsal> {
  const folder = mkdtempSync(join(tmpdir(), "nestbox-release-"));
  try {
    const copy = join(folder, "workspace");
    copyTree(root, copy);
    const before = new Map(publicPackages(copy).map(({ manifest }) => [manifest.name, manifest.version]));
    const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1", CI: "true" };
    run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--ignore-scripts"], { cwd: copy, env });
    run("pnpm", ["exec", "changeset", "version"], { cwd: copy, env });
    run("pnpm", ["run", "build", "--ui=stream", "--output-logs=errors-only"], { cwd: copy, env });
    const out = join(folder, "tarballs");
    mkdirSync(out);
    const tarballs = packAll(copy, out);
    const faults = workflowFaults(readFileSync(join(root, ".github/workflows/release.yml"), "utf8")).map(
      (fault) => `release.yml: ${fault}`,
    );
    const packages = [];
    for (const { manifest, folder: place } of publicPackages(copy)) {
      const tarball = readTarball(tarballs.get(manifest.name) ?? "");
      const { name, version } = tarball.manifest;
      const unchanged = version === before.get(name);
      if (!unchanged && !tarball.files.includes("CHANGELOG.md"))
        faults.push(`${name}: CHANGELOG.md is missing`);
      for (const fault of await tarballFaults(tarball, place)) faults.push(`${name}: ${fault}`);
      packages.push({ name, version, bytes: tarball.bytes, files: tarball.files.length, unchanged });
    }
    return { packages, faults };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies what git knows or would add, as a repository of its own, because the changelogs are made from one. */
function copyTree(root: string, copy: string): void {
  const files = run("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of files.split("\0")) {
    // A file may be deleted and not yet committed so.
    if (file === "" || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file), { verbatimSymlinks: true });
  }
  const git = (...args: readonly string[]): void =>
    void run("git", ["-c", "user.name=release", "-c", "user.email=release@localhost", ...args], {
      cwd: copy,
    });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--no-verify", "--message=Rehearse a release");
}
