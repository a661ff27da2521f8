import { joinPath } from "../shell/folders.ts";

/**
 * The absolute paths that Pi's `read` tries in turn where no file has the name that it was given: the forms in which
 * macOS writes names of screenshots and decomposed letters.
 */
export function otherReadNames(folder: string, name: string): readonly string[] {
  const path = joinPath(folder, name);
  if (path === undefined) return [];
  const decomposed = path.normalize("NFD");
  const all = [path.replace(/ (AM|PM)\./gi, "\u202f$1."), decomposed, curly(path), curly(decomposed)];
  return [...new Set(all)].filter((other) => other !== path);
}

function curly(path: string): string {
  return path.replaceAll("'", "\u2019");
}
