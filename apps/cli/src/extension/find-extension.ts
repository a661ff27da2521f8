import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

import { UsageError } from "../usage-error.ts";

/**
 * The files of one `--extension`: a file, or a folder that says in the `pi.extensions` of its manifest which ones they
 * are, else its `index.ts` or `index.js`, as Pi finds them. Throws `UsageError`.
 */
export function findExtension(given: string, start: string): readonly string[] {
  const where = `--extension ${given}`;
  const path = resolve(start, given);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${where}: there is no such file or folder.`);
  if (!found.isDirectory()) return [realpathSync(path)];
  const listed = manifestExtensions(join(path, "package.json"), where);
  for (const name of listed) {
    if (!existsSync(join(path, name)))
      throw new UsageError(`${where}: its package.json names ${name}, and there is no such file.`);
  }
  const files =
    listed.length > 0 ? listed : ["index.ts", "index.js"].filter((name) => existsSync(join(path, name)));
  const [first] = files;
  if (first === undefined)
    throw new UsageError(
      `${where}: the folder has no extension: neither pi.extensions in a package.json nor an index.ts or index.js.`,
    );
  return (listed.length > 0 ? files : [first]).map((name) => realpathSync(join(path, name)));
}

function manifestExtensions(file: string, where: string): readonly string[] {
  if (!existsSync(file)) return [];
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`${where}: its package.json is not JSON.`, { cause });
  }
  const pi = own(manifest, "pi");
  const list = own(pi, "extensions");
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === "string") : [];
}

function own(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;
}
