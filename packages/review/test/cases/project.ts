import { cp, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import type { RunnerCase } from "./cases.ts";

const projects = fileURLToPath(new URL("../fixtures/projects", import.meta.url));

/** Makes the project of a case in a temporary folder. Dispose it. */
export async function makeProject(
  { project, files = {} }: Pick<RunnerCase, "project" | "files">,
  modules?: string,
): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "nestbox-case-")));
  await cp(join(projects, project), path, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    if (content === null) await rm(join(path, name), { recursive: true, force: true });
    else {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), content);
    }
  }
  if (modules !== undefined) await symlink(modules, join(path, "node_modules"), "dir");
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
