import { constants } from "node:fs";
import { access, open, realpath, stat } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";

import { fields, parseJson, type Fields } from "../reports/read.ts";

/**
 * The text of a regular file, at most `maxBytes` of it; `undefined` when it is not there, not a regular file, or
 * longer. A pipe or a device that stands in a file's place is not waited for.
 */
export async function readTextFile(path: string, maxBytes: number): Promise<string | undefined> {
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile() || found.size > maxBytes) return undefined;
    const buffer = Buffer.alloc(Math.min(maxBytes, found.size));
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return buffer.toString("utf8", 0, length);
  } catch {
    return undefined;
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

const manifestBytes = 1024 * 1024;

export async function readJsonFile(path: string): Promise<Fields | undefined> {
  const source = await readTextFile(path, manifestBytes);
  const parsed = source === undefined ? undefined : parseJson(source.replace(/^\uFEFF/, ""));
  return parsed?.ok === true ? fields(parsed.value) : undefined;
}

export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

export async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() === true;
}

export async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

/** A folder and those above it, innermost first. */
export function ancestors(folder: string): readonly string[] {
  const found: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    found.push(at);
    if (dirname(at) === at) return found;
  }
}

/** The `node_modules/.bin` folders that a package manager would put on `PATH`, innermost first. */
export function binFolders(folder: string): readonly string[] {
  return ancestors(folder).map((at) => join(at, "node_modules", ".bin"));
}

/** The path of a program in the folders, or `undefined`. Relative folders are not looked into. */
export async function findProgram(name: string, folders: readonly string[]): Promise<string | undefined> {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat", ""] : [""];
  for (const folder of folders) {
    if (!isAbsolute(folder)) continue;
    for (const ending of endings) {
      const path = join(folder, name + ending);
      try {
        await access(path, constants.X_OK);
        if ((await stat(path)).isFile()) return path;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}

export function pathFolders(path = process.env["PATH"] ?? ""): readonly string[] {
  return path.split(delimiter).filter((folder) => isAbsolute(folder));
}

/** The real path of a folder, or the path itself where there is none. */
export async function realFolder(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
