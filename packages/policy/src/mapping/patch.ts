import type { ResourceAction } from "../subject.ts";

export interface PatchPath {
  readonly action: ResourceAction;
  readonly path: string;
}

/** Longest patch that is read, in characters. */
export const MAX_PATCH_CHARS = 4_000_000;

/**
 * The files that a patch touches, in the `*** Begin Patch` form or as a unified diff. `undefined` when the text names
 * no file in a form that is known: what it would do is then not known either.
 */
export function patchPaths(patch: string): readonly PatchPath[] | undefined {
  if (patch.length > MAX_PATCH_CHARS) return undefined;
  const paths: PatchPath[] = [];
  for (const line of patch.split(/\r?\n|\r/)) {
    // Leading space is allowed generously: a reader that trims must not see more files than we do.
    const marked =
      /^\s*\*\*\*\s+(Add File|Update File|Delete File|Move to|Rename to|Copy to):\s*(.+?)\s*$/i.exec(line);
    if (marked !== null) {
      const [, kind = "", path = ""] = marked;
      paths.push({ action: /^delete/i.test(kind) ? "delete" : "write", path });
      continue;
    }
    const unified =
      /^(?:---|\+\+\+)\s+(.+?)(?:\t.*)?$/.exec(line) ?? /^(?:rename|copy) (?:from|to) (.+)$/.exec(line);
    if (unified !== null) {
      const path = unquote(unified[1] ?? "");
      if (path === "/dev/null") continue;
      // With and without the `a/` or `b/` that most tools write and some do not.
      paths.push({ action: "write", path });
      if (/^[ab]\//.test(path)) paths.push({ action: "write", path: path.slice(2) });
    }
  }
  return paths.length === 0 ? undefined : paths;
}

function unquote(path: string): string {
  return /^".*"$/s.test(path) ? path.slice(1, -1).replace(/\\(.)/gs, "$1") : path;
}
