import { createHash } from "node:crypto";
import { closeSync, existsSync, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { GrantFacts } from "../gate/grant.ts";

/** Largest file that a grant is bound to; a larger one cannot be remembered. */
export const MAX_HASHED_BYTES = 64 * 1024 * 1024;

/** The machine's own facts, for grants and re-checks. */
export function nodeFacts(): GrantFacts {
  return {
    realPath: (path) => {
      try {
        return realpathSync.native(path);
      } catch {
        return undefined;
      }
    },
    repositoryOf(folder) {
      for (let current = folder; ; current = dirname(current)) {
        // A worktree and a submodule have a file of this name, a clone a folder.
        if (existsSync(join(current, ".git"))) return current;
        if (dirname(current) === current) return undefined;
      }
    },
    hashFile,
    resolve: (folder, path) => resolve(folder, path),
  };
}

function hashFile(path: string): string | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const stats = fstatSync(file);
    if (!stats.isFile() || stats.size > MAX_HASHED_BYTES) return undefined;
    const hash = createHash("sha256");
    const chunk = Buffer.alloc(64 * 1024);
    let total = 0;
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      total += read;
      if (total > MAX_HASHED_BYTES) return undefined;
      hash.update(chunk.subarray(0, read));
    }
    return hash.digest("hex");
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
