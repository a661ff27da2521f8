import type { PolicyFs } from "./fs.ts";

/** Most guarded files whose other names are looked for. */
const MAX_GUARDED = 1_000;

/**
 * Finds the guarded files that a path is another name of: a hard link shows no target, so the file itself is compared.
 * What is guarded is looked up once a decision, and only when a file with several names is written.
 */
export function createTwins(fs: PolicyFs, guarded: readonly string[]): (real: string) => readonly string[] {
  let byId: ReadonlyMap<string, readonly string[]> | undefined;
  return (real) => {
    const id = fs.fileId?.(real);
    if (id === undefined) return [];
    byId ??= idsOf(fs, guarded);
    return byId.get(id) ?? [];
  };
}

/** The files themselves, and those directly in a guarded folder. */
function idsOf(fs: PolicyFs, guarded: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byId = new Map<string, readonly string[]>();
  let looked = 0;
  const note = (path: string): void => {
    looked += 1;
    const id = fs.fileId?.(path);
    if (id !== undefined) byId.set(id, [...(byId.get(id) ?? []), path]);
  };
  for (const path of guarded) {
    const entries = fs.list(path);
    if (entries === undefined) note(path);
    for (const { name, kind } of entries ?? []) {
      if (looked >= MAX_GUARDED) return byId;
      if (kind !== "folder") note(`${path}/${name}`);
    }
  }
  return byId;
}
