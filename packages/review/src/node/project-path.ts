import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";

import { refusal } from "@nestbox/tool";

/**
 * The real path of an existing project-relative path (contract B8). Throws a refusal for an absolute path, for `..`,
 * and for a link that leads out of `root`, which is a real path itself.
 */
export async function insideProject(root: string, path: string): Promise<string> {
  const parts = path.split(/[\\/]/);
  if (isAbsolute(path) || /^[A-Za-z]:/.test(path) || parts.includes("..") || path.includes("\0")) {
    throw refusal("The path leaves the project. Give a project-relative path.");
  }
  const real = await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) throw refusal(`There is no ${path} in this project.`);
  const inside = relative(root, real);
  if (inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw refusal("The path leads out of the project through a link. Give a path inside the project.");
  }
  return real;
}
