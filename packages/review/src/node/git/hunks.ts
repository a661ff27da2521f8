import { constants } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import { join } from "node:path";

import { diffAreas, type DiffFile } from "../../diff.ts";
import { limits } from "../../limits.ts";
import { parsePatch, splitPatches, type ParsedPatch } from "../../reports/patch.ts";
import type { Base, Change } from "./changes.ts";
import type { Repository } from "./shadow.ts";

const patchLimits = { maxChars: limits.diffFileChars, maxLineChars: limits.diffLineChars };

interface LoadOptions {
  readonly base: Base | undefined;
  readonly contextLines: number;
}

type FileBase = Omit<DiffFile, "binary" | "hunks" | "truncated">;

/**
 * Loads what the changes did, in their order. Whatever goes wrong is a note at the file: the tree may change while
 * it is read.
 */
export async function loadChanges(
  repository: Repository,
  changes: readonly Change[],
  options: LoadOptions,
): Promise<readonly DiffFile[]> {
  const whole = await Promise.all(changes.map((change) => wholeFile(repository, change)));
  const open = changes.filter((_change, index) => whole[index] === undefined);
  const patches = new Map<Change, ParsedPatch | string>();
  for (const area of diffAreas) {
    const group = open.filter((change) => change.area === area);
    const loaded = await loadPatches(repository, group, options);
    for (const [change, patch] of loaded) patches.set(change, patch);
  }
  return changes.map((change, index): DiffFile => {
    const known = whole[index];
    if (known !== undefined) return known;
    const base = baseOf(repository, change);
    const patch = patches.get(change) ?? "it could not be compared";
    if (typeof patch === "string") return { ...base, ...unread(patch) };
    return {
      ...base,
      binary: patch.binary,
      ...(patch.added === undefined ? {} : { added: patch.added }),
      ...(patch.removed === undefined ? {} : { removed: patch.removed }),
      hunks: [...patch.hunks],
      truncated: patch.truncated,
    };
  });
}

function baseOf(repository: Repository, change: Change): FileBase {
  const { prefix } = repository;
  const inProject = (path: string): string => (path.startsWith(prefix) ? path.slice(prefix.length) : path);
  const bothSides = !["added", "deleted", "untracked"].includes(change.status);
  return {
    path: inProject(change.path),
    ...(change.oldPath === undefined ? {} : { oldPath: inProject(change.oldPath) }),
    area: change.area,
    status: change.status,
    kind: kindOf(change),
    ...(bothSides && change.oldMode !== change.newMode
      ? { oldMode: change.oldMode, newMode: change.newMode }
      : {}),
  };
}

/** What is told of a change where no patch is needed, or none can be had. */
async function wholeFile(repository: Repository, change: Change): Promise<DiffFile | undefined> {
  const base = baseOf(repository, change);
  const path = join(repository.top, change.path);
  if (base.kind === "submodule") {
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
  if (change.area === "untracked") return { ...base, ...(await readUntracked(path)) };
  if (change.status === "unmerged")
    return { ...base, ...unread("in conflict: both sides changed it"), truncated: false };
  if (change.area === "unstaged" && change.status !== "deleted") {
    const found = await lstat(path).catch(() => undefined);
    if (found === undefined) return { ...base, ...unread("it vanished while it was read") };
    if (!found.isFile() && !found.isSymbolicLink())
      return { ...base, ...unread("it is no regular file any more") };
    if (found.size > limits.comparedBytes)
      return { ...base, ...unread(`too large to compare: ${found.size} bytes`) };
  }
  return undefined;
}

/**
 * The patches of changes of one area: with one process when what it prints can be told apart file by file, else with
 * one for each.
 */
async function loadPatches(
  repository: Repository,
  changes: readonly Change[],
  options: LoadOptions,
): Promise<ReadonlyMap<Change, ParsedPatch | string>> {
  const patches = new Map<Change, ParsedPatch | string>();
  if (changes.length > 1) {
    const together = await repository.git(patchCommand(repository, changes, options), {
      maxBytes: limits.diffPageChars,
    });
    const sections = together.ok && !together.truncated ? splitPatches(together.stdout) : [];
    // git sorts by path. One section more or less, or another name: the tree has changed since it was listed.
    const inOrder = changes.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
    if (
      sections.length === changes.length &&
      inOrder.every((change, index) => isAbout(sections[index] ?? "", change))
    ) {
      for (const [index, change] of inOrder.entries())
        patches.set(change, parsePatch(sections[index] ?? "", patchLimits));
      return patches;
    }
  }
  for (const change of changes) {
    const result = await repository.git(patchCommand(repository, [change], options), {
      maxBytes: 2 * limits.diffFileChars,
    });
    if (!result.ok) patches.set(change, result.reason);
    else {
      const patch = parsePatch(result.stdout, patchLimits);
      patches.set(change, result.truncated ? { ...patch, truncated: true } : patch);
    }
  }
  return patches;
}

/** Whether a section names the path of a change, as far as its name stands there as it is. */
function isAbout(section: string, { path }: Change): boolean {
  if (!/^[\w./-]+$/.test(path)) return true;
  return section.split("\n", 3)[2]?.endsWith(` b/${path}`) === true;
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
  changes: readonly Change[],
  { base, contextLines }: LoadOptions,
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
  const paths = changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [oldPath, path]));
  const area = changes[0]?.area;
  const head = repository.head ?? repository.emptyTree;
  if (area === "committed")
    return ["diff-tree", "-r", ...shape, base?.mergeBase ?? repository.emptyTree, head, "--", ...paths];
  if (area === "staged")
    return ["diff-index", "--cached", "--ita-invisible-in-index", ...shape, head, "--", ...paths];
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
