import type { Folders } from "./analysis.ts";

/** More possible folders than this are told as "any folder". */
const maxFolders = 4;

export function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\");
}

/** `path` seen from `base`, by its words alone as the shell's logical `cd` does; `undefined` when not known. */
export function joinPath(base: string | undefined, path: string): string | undefined {
  const absolute = isAbsolutePath(path);
  if (!absolute && base === undefined) return undefined;
  const whole = absolute ? path : `${base === "." ? "" : `${base}/`}${path}`;
  const rooted = whole.startsWith("/");
  const kept: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (part !== ".." || !rooted) kept.push(part);
  }
  if (rooted) return `/${kept.join("/")}`;
  return kept.length === 0 ? "." : kept.join("/");
}

export function unite(...sets: readonly Folders[]): Folders {
  const all = new Set(sets.flat());
  return all.size > maxFolders ? [undefined] : [...all];
}

export function sameFolders(a: Folders, b: Folders): boolean {
  return a.length === b.length && a.every((folder) => b.includes(folder));
}
