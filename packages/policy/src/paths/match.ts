import type { Care } from "../rules/call-filter.ts";
import type { PathMatch } from "../rules/types.ts";
import { compileGlob, foldedPath, type FoldedPath, globProblem, type PathPattern } from "./pattern.ts";
import { sampleGlob } from "./reach.ts";
import type { PathResolver } from "./resolve.ts";
import { globMayMatch, type PathSubject } from "./subject.ts";

/** How a rule stands to a resource: it is meant, it may be, or it is not. */
export type Answer = "yes" | "maybe" | "no";

export interface PathTest {
  /** What a deny or ask asks. */
  loose(subject: PathSubject): Answer;
  /** What an allow asks: whether every path that may be touched is surely meant. */
  strict(subject: PathSubject): boolean;
}

/** What patterns are relative to. */
export type PathScope = Pick<PathResolver, "roots" | "homes" | "world" | "fold">;

/** What is wrong with the path statement of a rule, or nothing. */
export function pathMatchProblem(match: PathMatch): string | undefined {
  for (const glob of match.glob ?? []) {
    const problem = globProblem(glob);
    if (problem !== undefined) return `${JSON.stringify(glob)}: ${problem}`;
  }
  return undefined;
}

/**
 * Compiles the path statement of a rule for one project folder. With `soft`, a pattern that may match anywhere is not
 * looked for in a whole tree, a path that is not known is not meant, and neither is some path below a folder: what is
 * built in must not ask about every folder that is removed, nor about every `git pull`.
 */
export function compilePathMatch(
  match: PathMatch,
  scope: PathScope,
  options: { readonly soft?: boolean } = {},
): PathTest {
  const globs = match.glob ?? [];
  const compile = (care: Care): readonly PathPattern[] =>
    globs.flatMap((glob) =>
      compileGlob(glob, {
        roots: scope.roots,
        homes: scope.homes,
        world: scope.world,
        care,
        fold: (path) => scope.fold(path, care),
      }),
    );
  const loosePatterns = compile("loose");
  const strictPatterns = compile("strict");
  const anchored = loosePatterns.filter(({ base }) => base !== undefined);
  const { outside, action, glob } = match;
  const samples = globs
    .flatMap((pattern) => sampleGlob(pattern))
    // A relative one is taken apart from its first character on, so it gets a root.
    .map((path) => foldedPath(scope.fold(/^([A-Za-z]:)?\//.test(path) ? path : `/${path}`, "loose")));
  const soft = options.soft === true;

  // Who may not write a file may not remove it or move it away either: what it held is gone in both cases.
  const binding = action?.includes("write") === true ? [...action, "delete"] : action;

  const loose = (subject: PathSubject): Answer => {
    if (binding !== undefined && !binding.includes(subject.action)) return "no";
    if (subject.harmless) return "no";
    if (subject.resolved === undefined) {
      if (isNamed(loosePatterns, subject.floating)) return "yes";
      // A path that is not known asks in any case; what is built in need not say so once more.
      return soft ? "no" : "maybe";
    }
    if (outside === true && !subject.isOutside()) return "no";
    if (outside === false && subject.isOutside()) return "no";
    if (glob === undefined) return "yes";
    // A bare name that is guarded against everything is guarded against being read: `.env` is not what a pull rewrites.
    const rewrites = subject.extent === "within" && action === undefined;
    // And for what the file holds: that a command lists it among others tells nothing of that.
    const lists = subject.extent === "glob" && subject.tellsNames;
    const within = rewrites || lists ? anchored : loosePatterns;
    if (lists && within.length === 0) return "no";
    return looseGlob(within, subject.tellsNames ? anchored : within, samples, subject, soft);
  };

  const strict = (subject: PathSubject): boolean => {
    if (action !== undefined && !action.includes(subject.action)) return false;
    const { resolved, resolver } = subject;
    // Any path is meant, so also one that is not known.
    if (glob === undefined && outside === undefined) return true;
    if (resolved === undefined || subject.named.length === 0) return false;
    if (resolved.doubt !== undefined || subject.named.some((path) => path.doubt !== undefined)) return false;
    if (outside === false && subject.isOutside()) return false;
    if (outside === true && !subject.named.every((path) => resolver.isOutside(path))) return false;
    if (glob === undefined) return true;
    // A link may lead out of what the rule covers.
    if (subject.follow && (!subject.treeComplete() || subject.leadsElsewhere())) return false;
    const below = subject.extent === "tree" || subject.extent === "within";
    return subject
      .identities("strict")
      .every((path) =>
        strictPatterns.some((pattern) => pattern.hit(path) === "covered" && (!below || pattern.whole)),
      );
  };
  return { loose, strict };
}

/** Whether a path whose folder is not known has a name that is meant in every folder. */
function isNamed(patterns: readonly PathPattern[], path: FoldedPath | undefined): boolean {
  return (
    path !== undefined &&
    patterns.some((pattern) => pattern.base === undefined && pattern.hit(path) === "covered")
  );
}

function looseGlob(
  patterns: readonly PathPattern[],
  /** Those that are looked for below a folder. */
  sought: readonly PathPattern[],
  samples: readonly FoldedPath[],
  subject: PathSubject,
  soft: boolean,
): Answer {
  const identities = soft ? subject.surface() : subject.identities("loose");
  let below = false;
  for (const pattern of patterns) {
    for (const path of identities) {
      const hit = pattern.hit(path);
      if (hit === "covered") return "yes";
      if (hit === "below" && (sought === patterns || sought.includes(pattern))) below = true;
    }
  }
  const walked = subject.extent === "tree" || (subject.extent === "within" && !soft);
  if (walked && sought.length > 0 && (below || (subject.follow && !soft))) {
    const found = looseTree(sought, subject, soft);
    if (found !== "no") return found;
  }
  const { glob } = subject;
  if (glob !== undefined && (!soft || subject.action !== "read") && !subject.complete()) {
    if (samples.some((path) => globMayMatch(glob, path))) return "maybe";
  }
  return "no";
}

/**
 * A tree that holds what the rule means. To delete the tree is to delete it, so that is a yes; who reads or writes in
 * the tree may leave it alone, so that is a maybe.
 */
function looseTree(patterns: readonly PathPattern[], subject: PathSubject, soft: boolean): Answer {
  const found: Answer = subject.action === "delete" && subject.extent === "tree" ? "yes" : "maybe";
  const { fs } = subject.resolver;
  const identities = subject.identities("loose");
  let walk = subject.follow && !soft;
  for (const pattern of patterns) {
    if (!identities.some((path) => pattern.hit(path) === "below")) continue;
    if (pattern.base === undefined || !pattern.literal) walk ||= pattern.base !== undefined || !soft;
    else if (fs.realpath(pattern.base) !== undefined || fs.readlink(pattern.base) !== undefined) return found;
  }
  if (!walk) return "no";
  if (subject.tree().some((path) => patterns.some((pattern) => pattern.hit(path) === "covered")))
    return found;
  // What is built in does not ask about every large tree, but no other search may use up what this one needed.
  const lenient = soft && subject.resolver.budget.entries >= 0;
  return subject.treeComplete() || lenient ? "no" : "maybe";
}
