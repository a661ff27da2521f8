import { createHash } from "node:crypto";

import { arr, int, obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import { defineTool, refusal, takePage } from "@nestbox/tool";

import { diffAreas, diffSchema, type DiffArea, type DiffFile } from "../../diff.ts";
import { limits } from "../../limits.ts";
import { reviewNamespace } from "../../namespace.ts";
import { diffText } from "../../text/diff-text.ts";
import { workingFolder } from "../environment.ts";
import { listChanges, resolveBase, type Base, type Change } from "../git/changes.ts";
import { loadChanges } from "../git/hunks.ts";
import { withRepository, type Repository } from "../git/shadow.ts";
import type { ReviewEnvironment } from "../options.ts";
import { pageParameters } from "./parameters.ts";
import { report } from "./result.ts";

const parameters = obj({
  base: opt(
    str({
      minLength: 1,
      maxLength: 255,
      description: "Branch, tag or commit: what was committed since the common ancestor is a change too",
    }),
  ),
  areas: opt(
    arr(oneOf(diffAreas), { minItems: 1, maxItems: 4, description: "Default: all; committed needs a base" }),
  ),
  paths: opt(
    arr(str({ minLength: 1, maxLength: 1_000 }), {
      minItems: 1,
      maxItems: 100,
      description: "Project-relative files or folders. Default: the project",
    }),
  ),
  contextLines: opt(
    int({ minimum: 0, maximum: 20, description: "Unchanged lines around a change. Default: 3" }),
  ),
  ...pageParameters("Files", { default: limits.diffPageFiles, max: limits.maxDiffPageFiles }),
});

/** Files whose patches one process is asked for. */
const filesAtOnce = 25;

/** `collect_diff`: what changed, as data (contract A3). Nothing of the repository runs. */
export function collectDiffTool(environment: ReviewEnvironment) {
  return defineTool({
    name: "collect_diff",
    label: "Collect diff",
    description:
      "Returns the changes of the git working tree as data: staged, unstaged, untracked, and, with base, committed since then. " +
      "Call it when you need the changed lines; nothing of the repository is run (no hooks, filters, diff drivers or pagers). " +
      "Accepts base, areas, paths, contextLines, limit and cursor. Returns { files, total, counts, nextCursor? }, each file with area, status, added, removed and hunks; repeat with nextCursor until it is absent. " +
      "To review a change as a whole use review_diff instead.",
    parameters,
    outputSchema: diffSchema,
    exposure: "codemode",
    namespace: reviewNamespace,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async execute(_id, params, signal, _onUpdate, context) {
      const root = await workingFolder(environment, context);
      const paths = (params.paths ?? []).map(projectPath);
      return withRepository(root, signal, async (repository) => {
        const base = params.base === undefined ? undefined : await resolveBase(repository, params.base);
        const areas = new Set<DiffArea>(params.areas ?? diffAreas);
        const all = await listChanges(repository, areas, base, paths);
        const changes = all.slice(0, limits.diffFiles);
        const version = versionOf(changes, base);
        const paging = {
          ...(params.cursor === undefined ? {} : { cursor: params.cursor }),
          version,
          maxBytes: Infinity,
        };
        const wanted = takePage(changes, { ...paging, limit: params.limit ?? limits.diffPageFiles }).items;
        const files = await loadPage(repository, wanted, { base, contextLines: params.contextLines ?? 3 });
        // The page ends where its text would pass the limit: asked for again, it is as long as that.
        const { nextCursor } =
          files.length === 0 ? {} : takePage(changes, { ...paging, limit: files.length });
        const count = (area: DiffArea): number => all.filter((change) => change.area === area).length;
        return report(
          {
            ...(base === undefined ? {} : { base }),
            ...(repository.head === undefined ? {} : { head: repository.head }),
            files,
            total: all.length,
            counts: {
              committed: count("committed"),
              staged: count("staged"),
              unstaged: count("unstaged"),
              untracked: count("untracked"),
            },
            omitted: all.length - changes.length,
            ...(nextCursor === undefined ? {} : { nextCursor }),
          },
          environment,
          diffText,
        );
      });
    },
  });
}

/** A path of the model's for git: relative, in the project, with `/`. Git compares names and follows no link. */
function projectPath(path: string): string {
  const parts = path
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  const absolute = /^(?:[\\/]|[A-Za-z]:)/.test(path);
  if (absolute || parts.includes("..") || path.includes("\0")) {
    throw refusal("A path of paths leaves the project. Give project-relative paths.");
  }
  return parts.length === 0 ? "." : parts.join("/");
}

/** Changes with the tree: a cursor of another state is refused instead of skipping or repeating files. */
function versionOf(changes: readonly Change[], base: Base | undefined): string {
  return createHash("sha256")
    .update(JSON.stringify([base, changes]))
    .digest("hex")
    .slice(0, 16);
}

async function loadPage(
  repository: Repository,
  changes: readonly Change[],
  options: { readonly base: Base | undefined; readonly contextLines: number },
): Promise<DiffFile[]> {
  const files: DiffFile[] = [];
  let chars = 0;
  for (let index = 0; index < changes.length; index += filesAtOnce) {
    for (const file of await loadChanges(repository, changes.slice(index, index + filesAtOnce), options)) {
      chars += JSON.stringify(file).length;
      if (chars > limits.diffPageChars && files.length > 0) return files;
      files.push(file);
    }
  }
  return files;
}
