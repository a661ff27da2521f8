import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

import type { DiffFile } from "../../diff.ts";
import { limits } from "../../limits.ts";
import { parsePatch } from "../../reports/patch.ts";
import type { Base, Change } from "./changes.ts";
import type { Repository } from "./shadow.ts";

const patchLimits = { maxChars: limits.diffFileChars, maxLineChars: limits.diffLineChars };

/** Loads what one change did. Whatever goes wrong is a note at the file: the tree may change while it is read. */
export async function loadChange(
  repository: Repository,
  change: Change,
  options: { readonly base: Base | undefined; readonly contextLines: number },
): Promise<DiffFile> {
  const inProject = (path: string): string =>
    path.startsWith(repository.prefix) ? path.slice(repository.prefix.length) : path;
  const kind = kindOf(change);
  const base = {
    path: inProject(change.path),
    ...(change.oldPath === undefined ? {} : { oldPath: inProject(change.oldPath) }),
    area: change.area,
    status: change.status,
    kind,
    ...(change.oldMode !== change.newMode &&
    change.status !== "added" &&
    change.status !== "deleted" &&
    change.status !== "untracked"
      ? { oldMode: change.oldMode, newMode: change.newMode }
      : {}),
  };
  if (kind === "submodule") {
    const named = (id: string): boolean => id !== "" && !/^0+$/.test(id);
    return {
      ...base,
      binary: false,
      ...(named(change.oldId) ? { oldCommit: change.oldId } : {}),
      ...(named(change.newId) ? { newCommit: change.newId } : {}),
      hunks: [],
      truncated: false,
    };
  }
  if (change.area === "untracked")
    return { ...base, ...(await readUntracked(join(repository.top, change.path))) };
  if (change.status === "unmerged")
    return {
      ...base,
      binary: false,
      hunks: [],
      truncated: false,
      note: "in conflict: both sides changed it",
    };
  if (change.area === "unstaged" && change.status !== "deleted") {
    const found = await lstat(join(repository.top, change.path)).catch(() => undefined);
    if (found === undefined) return { ...base, ...unread("it vanished while it was read") };
    if (!found.isFile() && !found.isSymbolicLink())
      return { ...base, ...unread("it is no regular file any more") };
  }
  const result = await repository.git(patchCommand(repository, change, options), {
    maxBytes: 2 * limits.diffFileChars,
  });
  if (!result.ok) return { ...base, ...unread(result.reason) };
  const patch = parsePatch(result.stdout, patchLimits);
  return {
    ...base,
    binary: patch.binary,
    ...(patch.added === undefined ? {} : { added: patch.added }),
    ...(patch.removed === undefined ? {} : { removed: patch.removed }),
    hunks: [...patch.hunks],
    truncated: patch.truncated || result.truncated,
  };
}

function kindOf(change: Change): DiffFile["kind"] {
  const mode = change.newMode === "000000" ? change.oldMode : change.newMode;
  return mode === "160000" ? "submodule" : mode === "120000" ? "symlink" : "file";
}

function unread(note: string) {
  return { binary: false, hunks: [] as DiffFile["hunks"], truncated: true, note };
}

function patchCommand(
  repository: Repository,
  change: Change,
  { base, contextLines }: { readonly base: Base | undefined; readonly contextLines: number },
): readonly string[] {
  const shape = [
    "--numstat",
    "--patch",
    `-U${contextLines}`,
    "-M",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--ignore-submodules=dirty",
  ];
  const paths = [...(change.oldPath === undefined ? [] : [change.oldPath]), change.path];
  const head = repository.head ?? repository.emptyTree;
  if (change.area === "committed")
    return ["diff-tree", "-r", ...shape, base?.mergeBase ?? repository.emptyTree, head, "--", ...paths];
  if (change.area === "staged") return ["diff-index", "--cached", ...shape, head, "--", ...paths];
  return ["diff-files", ...shape, "--", ...paths];
}

/** An untracked file as one hunk of added lines. Links are not followed, and only regular files are opened. */
async function readUntracked(
  path: string,
): Promise<Pick<DiffFile, "binary" | "added" | "removed" | "hunks" | "truncated" | "note" | "kind">> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink() === true) {
    const target = await readlink(path).catch(() => "");
    return { kind: "symlink", ...added(target, false) };
  }
  if (found === undefined || !found.isFile()) {
    const note =
      found?.isDirectory() === true
        ? "a folder with a repository of its own"
        : "it vanished, or is no regular file";
    return { kind: "file" as const, ...unread(note) };
  }
  let handle: Awaited<ReturnType<typeof open>> | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, limits.untrackedBytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
    const content = buffer.subarray(0, bytesRead);
    // git's own test for a binary file: a zero byte in the first 8,000.
    if (content.subarray(0, 8_000).includes(0))
      return { kind: "file", binary: true, hunks: [], truncated: false };
    return { kind: "file", ...added(content.toString("utf8"), size > bytesRead) };
  } catch {
    return { kind: "file" as const, ...unread("it cannot be read") };
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

function added(
  content: string,
  cut: boolean,
): Pick<DiffFile, "binary" | "added" | "removed" | "hunks" | "truncated"> {
  if (content === "") return { binary: false, added: 0, removed: 0, hunks: [], truncated: cut };
  const all = content.split("\n");
  if (all.at(-1) === "") all.pop();
  const lines: string[] = [];
  let chars = 0;
  let truncated = cut;
  for (const line of all) {
    if (chars + line.length > limits.diffFileChars) {
      truncated = true;
      break;
    }
    if (line.length >= limits.diffLineChars) truncated = true;
    const kept = `+${line.slice(0, limits.diffLineChars - 1)}`;
    chars += kept.length;
    lines.push(kept);
  }
  return {
    binary: false,
    // Of a file that was not read to its end the number is not known.
    ...(cut ? {} : { added: all.length, removed: 0 }),
    hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: all.length, lines }],
    truncated,
  };
}
