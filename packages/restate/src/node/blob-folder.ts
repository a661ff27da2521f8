import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../blobs.ts";
import { isRecord } from "../guards.ts";

/**
 * A folder of files that are named by their hash, in one folder a run, readable by their owner only. Every worker must
 * see the same folder: one disk, or one that is mounted on all machines.
 */
export function openBlobFolder(path: string): BlobStore {
  // An id may be long, and two ids may differ in case only.
  const folderOf = (runId: string): string =>
    join(path, createHash("sha256").update(runId).digest("hex").slice(0, 32));

  return {
    async put(runId, sha256, text) {
      const folder = folderOf(runId);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const temporary = join(folder, `.${randomUUID()}`);
      try {
        const file = await open(temporary, "wx", 0o600);
        try {
          await file.writeFile(text, "utf8");
          await file.sync();
        } finally {
          await file.close();
        }
        // Whole, or not there: a process may die at any place, and the same text may be put twice.
        await rename(temporary, join(folder, sha256));
        await syncFolder(folder);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },
    async get(runId, sha256) {
      try {
        return await readFile(join(folderOf(runId), sha256), "utf8");
      } catch (error) {
        if (isRecord(error) && error["code"] === "ENOENT") return undefined;
        throw error;
      }
    },
    async remove(runId) {
      await rm(folderOf(runId), { recursive: true, force: true });
    },
  };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
