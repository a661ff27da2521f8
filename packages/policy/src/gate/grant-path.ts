import picomatch from "picomatch";

import type { GrantFacts, GrantSubject } from "./grant.ts";

/** Longest path pattern of a grant, in characters. */
const MAX_PATTERN_CHARS = 500;
/** Deepest path that is looked up. */
const MAX_DEPTH = 256;

/**
 * The files that a call of one of Pi's own tools touches, when it runs no command: below the folder that binds it, with links resolved; undefined
 * when one is elsewhere or not known, or stands for more than itself.
 */
export function touchedPaths(
  subject: GrantSubject,
  folder: string,
  facts: GrantFacts,
): readonly string[] | undefined {
  // What the arguments of another tool do besides, only their exact values can bind.
  if (subject.request.tool.source?.kind !== "builtin") return undefined;
  const { commands, resources } = subject.decision.subject;
  if (commands.length > 0 || resources.length === 0) return undefined;
  const paths = new Set<string>();
  for (const resource of resources) {
    if (resource.kind !== "path" || resource.value === undefined || resource.action === "execute")
      return undefined;
    if (resource.extent !== undefined && resource.extent !== "exact") return undefined;
    const written = facts.resolve(facts.resolve(subject.request.cwd, resource.base ?? "."), resource.value);
    const real = realOf(written, facts);
    if (real === undefined || !real.startsWith(`${folder}/`)) return undefined;
    paths.add(real.slice(folder.length + 1));
  }
  return [...paths];
}

/** Why a path pattern cannot be saved, or nothing. */
export function pathPatternProblem(pattern: string): string | undefined {
  if (pattern === "" || pattern.length > MAX_PATTERN_CHARS) return "the pattern is empty or too long";
  if (
    pattern.startsWith("/") ||
    pattern.startsWith("~") ||
    pattern.startsWith("!") ||
    /^[A-Za-z]:/.test(pattern)
  ) {
    return "the pattern is relative to the folder in which it counts";
  }
  if (pattern.split(/[/\\]/).includes("..")) return "the pattern must not leave its folder";
  return undefined;
}

/** Whether every file is meant: `*` within a name, `**` for any folders, nothing else is special. */
export function matchesPaths(pattern: string, paths: readonly string[]): boolean {
  if (pathPatternProblem(pattern) !== undefined || paths.length === 0) return false;
  const test = picomatch(pattern, { dot: true, nobrace: true, noextglob: true, nonegate: true });
  return paths.every((path) => path === pattern || test(path));
}

/** A path with links resolved; of one that does not exist yet, the nearest folder that does. */
function realOf(path: string, facts: GrantFacts): string | undefined {
  let current = path;
  let rest = "";
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const real = facts.realPath(current);
    if (real !== undefined) return `${real === "/" && rest !== "" ? "" : real}${rest}`;
    const parent = facts.resolve(current, "..");
    if (parent === current) return undefined;
    rest = `/${current.slice(parent.length).replace(/^\//, "")}${rest}`;
    current = parent;
  }
  return undefined;
}
