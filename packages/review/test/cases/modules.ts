import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The `node_modules` that `scripts/install-runners.sh` filled. Throws when it has not run: nothing is skipped. */
export function runnerModules(): string {
  const folder = process.env["NESTBOX_RUNNERS"] ?? join(tmpdir(), "nestbox-runners");
  const modules = join(folder, "node_modules");
  if (!existsSync(modules))
    throw new Error(`There are no test runners in ${folder}: run scripts/install-runners.sh`);
  return modules;
}
