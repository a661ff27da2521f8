/**
 * Copies the prebuilt libraries of isolated-vm with their licence into `vendor/`, so that the published package
 * needs no install script and no compiler.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const from = dirname(createRequire(import.meta.url).resolve("isolated-vm/package.json"));
const to = join(root, "vendor", "isolated-vm");

rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
for (const name of ["prebuilds", "LICENSE", "package.json"]) {
  cpSync(join(from, name), join(to, name), { recursive: true });
}
