import { lstat } from "node:fs/promises";
import { join } from "node:path";

import { refusal } from "@nestbox/tool";

import type { DiffArea, DiffFile } from "../../diff.ts";
import { limits } from "../../limits.ts";
import { commitOf, type Repository } from "./shadow.ts";

/** One changed path, without its hunks. Paths are relative to the top of the working tree. */
export interface Change {
  readonly area: DiffArea;
  readonly status: DiffFile["status"];
  readonly path: string;
  readonly oldPath?: string;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

export interface Base {
  readonly ref: string;
  readonly commit: string;
  readonly mergeBase: string;
}

const statuses: Readonly<Record<string, DiffFile["status"]>> = {
  A: "added",
  M: "modified",
  D: "deleted",
  R: "renamed",
  C: "copied",
  T: "type-changed",
  U: "unmerged",
};

/**
 * A base ref comes from the model: it is one argument that cannot be an option, of the characters that refs and
 * their usual suffixes have. Throws a refusal for anything else.
 */
export async function resolveBase(repository: Repository, ref: string): Promise<Base> {
  if (
    !/^[\p{L}\p{N}_.@][\p{L}\p{N}_./@{}~^+#=-]{0,254}$/u.test(ref) ||
    ref.includes("..") ||
    ref.includes("{/")
  ) {
    throw refusal("The base is not a ref: give a branch, a tag or a commit, for example main or HEAD~1.");
  }
  const found = await repository.git([
    "rev-parse",
    "--verify",
    "--quiet",
    "--end-of-options",
    `${ref}^{commit}`,
  ]);
  const commit = found.ok ? commitOf(found.stdout) : undefined;
  if (commit === undefined)
    throw refusal(`There is no commit ${ref} here. Give a branch, a tag or a commit that exists.`);
  if (repository.head === undefined)
    throw refusal("There is no commit yet, so there is nothing to compare with a base.");
  const common = await repository.git(["merge-base", commit, repository.head]);
  return {
    ref,
    commit,
    mergeBase: (common.ok ? commitOf(common.stdout.split("\n")[0] ?? "") : undefined) ?? commit,
  };
}

/** Lists what changed, sorted by path and area. Throws a refusal when git cannot tell. */
export async function listChanges(
  repository: Repository,
  areas: ReadonlySet<DiffArea>,
  base: Base | undefined,
  paths: readonly string[],
): Promise<readonly Change[]> {
  const scope = pathspec(repository, paths);
  const raw = [
    "--raw",
    "-z",
    "--no-abbrev",
    "-M",
    "-l1000",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=dirty",
  ];
  const found: Change[] = [];
  if (areas.has("committed") && base !== undefined && repository.head !== undefined) {
    found.push(
      ...parseRaw(
        await list(repository, ["diff-tree", "-r", ...raw, base.mergeBase, repository.head, "--", ...scope]),
        "committed",
      ),
    );
  }
  if (areas.has("staged")) {
    const from = repository.head ?? repository.emptyTree;
    found.push(
      ...parseRaw(
        await list(repository, [
          "diff-index",
          "--cached",
          "--ita-invisible-in-index",
          ...raw,
          from,
          "--",
          ...scope,
        ]),
        "staged",
      ),
    );
  }
  if (areas.has("unstaged")) {
    const listed = parseRaw(await list(repository, ["diff-files", ...raw, "--", ...scope]), "unstaged");
    found.push(...(await reallyChanged(repository, listed)));
  }
  if (areas.has("untracked")) {
    const others = await list(repository, [
      "ls-files",
      "--others",
      "--exclude-standard",
      "-z",
      "--",
      ...scope,
    ]);
    for (const path of others.split("\0")) {
      if (path !== "") {
        found.push({
          area: "untracked",
          status: "untracked",
          path,
          oldMode: "000000",
          newMode: "100644",
          oldId: "",
          newId: "",
        });
      }
    }
  }
  const order: readonly DiffArea[] = ["committed", "staged", "unstaged", "untracked"];
  return found.toSorted((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : order.indexOf(a.area) - order.indexOf(b.area),
  );
}

/** The paths that git is asked about: literal, in the project, from the top of the working tree. */
function pathspec(repository: Repository, paths: readonly string[]): readonly string[] {
  if (paths.length > 0) return paths.map((path) => `${repository.prefix}${path}`);
  return repository.prefix === "" ? ["."] : [repository.prefix];
}

async function list(repository: Repository, args: readonly string[]): Promise<string> {
  const result = await repository.git(args);
  if (!result.ok) throw refusal(`The changes cannot be listed: ${result.reason}.`);
  if (result.truncated) throw refusal("There are too many changes to list. Narrow the call with paths.");
  return result.stdout;
}

function parseRaw(source: string, area: DiffArea): Change[] {
  const parts = source.split("\0");
  const changes: Change[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const found = /^:(\d{6}) (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])\d*$/.exec(
      parts[index] ?? "",
    );
    if (found === null) continue;
    const [, oldMode = "", newMode = "", oldId = "", newId = "", letter = ""] = found;
    const first = parts[(index += 1)] ?? "";
    const two = letter === "R" || letter === "C";
    const path = two ? (parts[(index += 1)] ?? "") : first;
    const status = Object.hasOwn(statuses, letter) ? (statuses[letter] ?? "modified") : "modified";
    changes.push({ area, status, path, ...(two ? { oldPath: first } : {}), oldMode, newMode, oldId, newId });
  }
  // A path in conflict has a second record with the difference to one side.
  const unmerged = new Set(changes.filter((change) => change.status === "unmerged").map(({ path }) => path));
  return changes.filter((change) => change.status === "unmerged" || !unmerged.has(change.path));
}

/**
 * git lists a file whose time stamp alone differs. Its content is hashed the way git would store it, and what is
 * the same is left out. Only regular files are opened: a pipe in a file's place would never end.
 */
async function reallyChanged(repository: Repository, changes: readonly Change[]): Promise<readonly Change[]> {
  const asked: Change[] = [];
  for (const change of changes.slice(0, limits.diffFiles)) {
    if (
      change.status !== "modified" ||
      change.oldMode !== change.newMode ||
      !change.oldMode.startsWith("100")
    )
      continue;
    const found = await lstat(join(repository.top, change.path)).catch(() => undefined);
    const plain = !/[\n"\\]/.test(change.path);
    if (found?.isFile() === true && found.size <= limits.comparedBytes && plain) asked.push(change);
  }
  if (asked.length === 0) return changes;
  const input = asked.map(({ path }) => `${path}\n`).join("");
  const result = await repository.git(["hash-object", "--stdin-paths"], { input });
  // A file that vanished meanwhile ends the command early: then all stay listed.
  if (!result.ok) return changes;
  const ids = result.stdout.split("\n");
  const hashed = new Map(asked.map((change, index) => [change, ids[index] ?? ""]));
  return changes.flatMap((change) => {
    const id = hashed.get(change);
    return id === undefined ? [change] : id === change.oldId ? [] : [{ ...change, newId: id }];
  });
}
