/**
 * `pnpm release --dry-run` shows what would be published and checks it; nothing leaves the machine and the tree stays
 * as it is. `pnpm release` publishes what is versioned and not yet on the registry: the release workflow runs it.
 * `--check <tarball> <folder>` looks at one tarball, `--check-workflow <file>` at the workflow that publishes.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { rehearse } from "./release/rehearse.ts";
import { readTarball, tarballFaults } from "./release/tarball.ts";
import { workflowFaults } from "./release/workflow.ts";
import { run } from "./release/workspace.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const [mode, ...words] = process.argv.slice(2);

if (mode === "--dry-run" && words.length === 0) await dryRun();
else if (mode === "--check" && words.length === 2) {
  const [path = "", folder = ""] = words;
  tell(await tarballFaults(readTarball(path), folder));
} else if (mode === "--check-workflow" && words.length === 1) {
  tell(workflowFaults(readFileSync(words[0] ?? "", "utf8")));
} else if (mode === undefined) {
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
  run("pnpm", ["run", "build"], { cwd: root, env, stdio: "inherit" });
  run("pnpm", ["exec", "changeset", "publish"], { cwd: root, stdio: "inherit" });
} else {
  console.error("Use: pnpm release [--dry-run | --check <tarball> <folder> | --check-workflow <file>]");
  process.exitCode = 2;
}

async function dryRun(): Promise<void> {
  const status = (): string => run("git", ["status", "--porcelain"], { cwd: root });
  const before = status();
  const { packages, faults } = await rehearse(root);
  const rows = packages.map(({ name, version, bytes, files, unchanged }) => [
    name,
    version,
    `${(bytes / 1024).toFixed(1)} KiB`,
    String(files),
    unchanged ? "not in this release" : "would be published",
  ]);
  printTable([["package", "version", "size", "files", ""], ...rows]);
  const changed = status()
    .split("\n")
    .filter((line) => !before.split("\n").includes(line));
  tell([...faults, ...changed.map((line) => `the working tree is not as it was: ${line}`)]);
}

function tell(faults: readonly string[]): void {
  for (const fault of faults) console.error(`FAULT  ${fault}`);
  console.log(faults.length === 0 ? "Nothing was published; all is well." : `${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    console.log(
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
