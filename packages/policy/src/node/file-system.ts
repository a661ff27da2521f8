import { readlinkSync, realpathSync, statSync, opendirSync } from "node:fs";
import { basename, dirname, join } from "node:path";

import type { FolderEntry, PolicyFs } from "../paths/fs.ts";

/** Most entries of a folder that are listed; a larger folder answers as one that cannot be read. */
export const MAX_FOLDER_ENTRIES = 20_000;

/** The machine's own file system, for an engine. Every failure is `undefined`. */
export function nodePolicyFs(): PolicyFs {
  // Whether names fold is a property of the volume; asking once per device is enough.
  const folds = new Map<number, boolean>();
  return {
    realpath: (path) => quietly(() => realpathSync.native(path)),
    readlink: (path) => quietly(() => readlinkSync(path)),
    list: (path) => quietly(() => listFolder(path)),
    fileId: (path) =>
      quietly(() => {
        const { dev, ino, nlink } = statSync(path, { bigint: true });
        return nlink > 1n ? `${dev}:${ino}` : undefined;
      }),
    foldsCase(path) {
      const existing = nearestExisting(path);
      if (existing === undefined) return false;
      const device = quietly(() => statSync(existing).dev);
      if (device === undefined) return false;
      const known = folds.get(device);
      if (known !== undefined) return known;
      const found = foldsHere(existing);
      if (found === undefined) return false;
      folds.set(device, found);
      return found;
    },
  };
}

function listFolder(path: string): readonly FolderEntry[] | undefined {
  const folder = opendirSync(path);
  try {
    const entries: FolderEntry[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (entries.length >= MAX_FOLDER_ENTRIES) return undefined;
      const kind = entry.isFile()
        ? "file"
        : entry.isDirectory()
          ? "folder"
          : entry.isSymbolicLink()
            ? "link"
            : "other";
      entries.push({ name: entry.name, kind });
    }
    return entries;
  } finally {
    folder.closeSync();
  }
}

function nearestExisting(path: string): string | undefined {
  let current = path;
  for (;;) {
    const here = current;
    if (quietly(() => statSync(here)) !== undefined) return current;
    const parent = dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
}

/** Asks for the same file under a name with its letters' case swapped, at the nearest place that has letters. */
function foldsHere(path: string): boolean | undefined {
  let current = path;
  for (;;) {
    const name = basename(current);
    const swapped = swapCase(name);
    if (swapped !== name) {
      const twin = join(dirname(current), swapped);
      const here = current;
      const a = quietly(() => statSync(here));
      const b = quietly(() => statSync(twin));
      return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
    }
    const parent = dirname(current);
    if (parent === current) return undefined;
    current = parent;
  }
}

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (char) =>
    char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase(),
  );
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
