import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { limits } from "../limits.ts";
import { stackPlaces } from "../reports/places.ts";
import type { ParsedFailure } from "../reports/report.ts";
import { cutEnd, plainText } from "../reports/text.ts";
import { shares } from "../shares.ts";
import type { FailingFile, TestFailure } from "../failures.ts";

/** Stands for failures whose file the runner does not tell. */
export const unknownFile = "(unknown file)";

export interface Locator {
  /** The project-relative path with `/`, or `undefined` for what lies outside or is not the project's own. */
  inside(file: string): string | undefined;
  /** A text without the project's absolute path. */
  relativize(text: string): string;
}

/** Turns the paths that a runner writes in `folder` into paths relative to `root`; both are absolute and real. */
export function createLocator(root: string, folder: string): Locator {
  return {
    inside(file) {
      const plain = toPath(file);
      const path = relative(root, isAbsolute(plain) ? plain : join(folder, plain));
      if (path === "" || path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)) return undefined;
      const parts = path.split(sep);
      return parts.includes("node_modules") || parts.includes("\0") ? undefined : parts.join("/");
    },
    // Everything is below the root of a disk, and a text without `/` would be none.
    relativize: (text) => (dirname(root) === root ? text : withoutRoot(text, root)),
  };
}

/** `/app` is neither the start of `/apples` nor a part of `src/app`. */
function withoutRoot(text: string, root: string): string {
  let out = "";
  let from = 0;
  for (let at = text.indexOf(root); at !== -1; at = text.indexOf(root, at + 1)) {
    if (at < from) continue;
    const end = at + root.length;
    const url = text.startsWith("file://", at - 7);
    if (/[\w-]/.test(text[end] ?? "") || (!url && /[\w.-]/.test(text[at - 1] ?? ""))) continue;
    const inside = text[end] === sep || text[end] === "/";
    out += text.slice(from, url ? at - 7 : at) + (inside ? "" : ".");
    from = inside ? end + 1 : end;
  }
  return out + text.slice(from);
}

function toPath(file: string): string {
  if (!file.startsWith("file:")) return file;
  try {
    return fileURLToPath(file);
  } catch {
    return file;
  }
}

/**
 * Failures by file, at most `budget` of them, in the order in which the runner told them (contract A11). Where there are
 * more, no file takes the places of the others.
 */
export function groupFailures(
  failures: readonly ParsedFailure[],
  locator: Locator,
  budget: number = limits.failures,
): { readonly files: readonly FailingFile[]; readonly omitted: number } {
  const groups = Map.groupBy(
    failures,
    (failure) =>
      (failure.file === undefined ? undefined : locator.inside(failure.file)) ?? fromStack(failure, locator),
  );
  const kept = shares(
    Array.from(groups.values(), (group) => group.length),
    budget,
  );
  const files = Array.from(groups, ([path, group], index): FailingFile => {
    const listed = group.slice(0, kept[index]).map((failure) => testFailure(failure, path, locator));
    return { path, failed: group.length, names: listed.map(({ name }) => name), failures: listed };
  });
  return { files, omitted: files.reduce((sum, file) => sum + file.failed - file.failures.length, 0) };
}

function fromStack(failure: ParsedFailure, locator: Locator): string {
  for (const { file } of stackPlaces(failure.stack ?? "")) {
    const path = locator.inside(file);
    if (path !== undefined) return path;
  }
  return unknownFile;
}

function testFailure(failure: ParsedFailure, path: string, locator: Locator): TestFailure {
  const places = stackPlaces(failure.stack ?? "").flatMap(({ file, line, column }) => {
    const inside = locator.inside(file);
    return inside === undefined ? [] : [{ path: inside, line, ...(column === undefined ? {} : { column }) }];
  });
  // Where it failed in the test's own file says more than where the test begins.
  const here = places.find((place) => place.path === path);
  // A place in a file of somebody else's, such as the runner's own, is none in this one.
  const own = failure.file === undefined || locator.inside(failure.file) === path ? failure : undefined;
  const line = here?.line ?? own?.line;
  const column = here === undefined ? own?.column : here.column;
  const clean = (text: string, max: number): string => cutEnd(locator.relativize(plainText(text)), max);
  const frames = places
    .filter(
      (place, index) =>
        places.findIndex((other) => other.path === place.path && other.line === place.line) === index,
    )
    .slice(0, limits.frames)
    .map((place) => ({ path: place.path, line: place.line }));
  return {
    // A name is one line: what stands behind a line break would look like a line of the report.
    name: clean(failure.name.replace(/\s*[\r\n]+\s*/g, " "), limits.nameBytes),
    kind: failure.kind,
    message: clean(failure.message, limits.messageBytes),
    ...(failure.expected === undefined ? {} : { expected: clean(failure.expected, limits.valueBytes) }),
    ...(failure.actual === undefined ? {} : { actual: clean(failure.actual, limits.valueBytes) }),
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
    frames,
  };
}
