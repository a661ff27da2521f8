import { arr, bool, int, obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";

/** Where a change stands: between the base and HEAD, in the index, in the working tree, or not known to git at all. */
export const diffAreas = ["committed", "staged", "unstaged", "untracked"] as const;
export type DiffArea = (typeof diffAreas)[number];

const hunkSchema = obj({
  oldStart: int({ minimum: 0 }),
  oldLines: int({ minimum: 0 }),
  newStart: int({ minimum: 0 }),
  newLines: int({ minimum: 0 }),
  section: opt(
    str({ description: "What git shows behind the line numbers, for example the enclosing function" }),
  ),
  lines: arr(str(), { description: "Each with its prefix: space, + or -" }),
});

const fileSchema = obj({
  path: str({ description: "Project-relative path" }),
  oldPath: opt(str({ description: "Where it was before, for a rename or a copy" })),
  area: oneOf(diffAreas),
  status: oneOf([
    "added",
    "modified",
    "deleted",
    "renamed",
    "copied",
    "type-changed",
    "unmerged",
    "untracked",
  ]),
  kind: oneOf(["file", "symlink", "submodule"]),
  binary: bool(),
  added: opt(int({ minimum: 0, description: "Lines added; absent for binary files" })),
  removed: opt(int({ minimum: 0, description: "Lines removed; absent for binary files" })),
  oldMode: opt(str({ description: "When the mode changed" })),
  newMode: opt(str()),
  oldCommit: opt(str({ description: "For a submodule" })),
  newCommit: opt(str()),
  hunks: arr(hunkSchema),
  truncated: bool({ description: "Hunks or parts of lines are missing; added and removed are complete" }),
  note: opt(str()),
});

/** Structured content of `collect_diff`. */
export const diffSchema = obj({
  base: opt(obj({ ref: str(), commit: str(), mergeBase: str() })),
  head: opt(str({ description: "Commit of HEAD; absent before the first commit" })),
  files: arr(fileSchema, { description: "One page, sorted by path" }),
  total: int({ minimum: 0, description: "Changes in all pages" }),
  counts: obj({
    committed: int({ minimum: 0 }),
    staged: int({ minimum: 0 }),
    unstaged: int({ minimum: 0 }),
    untracked: int({ minimum: 0 }),
  }),
  omitted: int({ minimum: 0, description: "Changes beyond the number that is listed" }),
  nextCursor: opt(str({ description: "Give it to the next call; absent on the last page" })),
});

export type DiffReport = Static<typeof diffSchema>;
export type DiffFile = DiffReport["files"][number];
export type DiffHunk = DiffFile["hunks"][number];
