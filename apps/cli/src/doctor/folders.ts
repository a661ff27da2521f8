import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { codeOf, type Finding } from "./finding.ts";
import { messageOf } from "@nestbox/tool";
import type { World } from "./world.ts";

/** The folders that are written to, each with what is lost without it. */
export function checkFolders(world: World): Finding {
  const id = "folders";
  const blocked = world.writtenFolders().flatMap((folder) => {
    const why = whyNotWritable(folder.path);
    return why === undefined ? [] : [{ ...folder, why }];
  });
  if (blocked.length === 0) return { id, status: "ok", found: "home and temporary folder can be written" };
  return {
    id,
    status: blocked.some(({ needed }) => needed) ? "problem" : "note",
    found: `cannot be written: ${blocked.map(({ path }) => path).join(", ")}`,
    cause: `${blocked.map(({ path, why }) => `${path}: ${why}`).join("; ")}.`,
    fix: `${blocked.map(({ lost, way }) => `${lost}: ${way}`).join("; ")}.`,
  };
}

/** Tried for real, in the folder that is there: a right says nothing of a file system that is mounted to be read. */
function whyNotWritable(path: string): string | undefined {
  let folder = path;
  for (;;) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found?.isDirectory() === true) break;
    if (found !== undefined) return `${folder} is not a folder`;
    if (dirname(folder) === folder) return "it is not there";
    folder = dirname(folder);
  }
  try {
    rmdirSync(mkdtempSync(join(folder, ".nestbox-doctor-")));
    return undefined;
  } catch (error) {
    return WORDS.get(codeOf(error) ?? "") ?? codeOf(error) ?? messageOf(error);
  }
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["EROFS", "the file system is read-only (EROFS)"],
  ["EACCES", "you have no permission (EACCES)"],
  ["EPERM", "the system does not allow it (EPERM)"],
  ["ENOSPC", "the disk is full (ENOSPC)"],
  ["ERR_ACCESS_DENIED", "Node was started with --permission and without --allow-fs-write"],
]);
