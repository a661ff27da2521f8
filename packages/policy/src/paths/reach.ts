import { expandBraces } from "./braces.ts";
import type { PolicyFs } from "./fs.ts";
import { nameGlob } from "./name-glob.ts";

/** Most entries of a tree or expansions of a glob that one question looks at. */
export const MAX_TREE_ENTRIES = 20_000;
/** Most entries that all trees and globs of one decision look at together; what is past it may hold anything. */
export const MAX_DECISION_ENTRIES = 40_000;
/** Most matches of a glob that are looked at one by one. */
export const MAX_EXPANSIONS = 2_000;

/** One match of a glob. */
export interface GlobMatch {
  readonly path: string;
  /** Every part of it below the folder was listed there and is no link: the path is its own real path. */
  readonly plain: boolean;
}

/** What a glob matches on disk. */
export interface GlobReach {
  readonly matches: readonly GlobMatch[];
  /** Nothing was left out. */
  readonly complete: boolean;
}

/** What a tree reaches on disk. */
export interface Reach {
  /** Absolute paths; links are named, and followed only where that is asked for. */
  readonly paths: readonly string[];
  /** Where the links that were followed lead, real. */
  readonly targets: readonly string[];
  /** Nothing was left out. */
  readonly complete: boolean;
}

/** Entries that one decision may still look at. */
export interface ReachBudget {
  entries: number;
}

/** Everything below a folder, up to so many entries. A folder that does not exist has nothing below it. */
export function listTree(
  fs: PolicyFs,
  root: string,
  maxEntries: number,
  budget: ReachBudget,
  follow = false,
): Reach {
  const paths: string[] = [];
  const targets = new Set<string>();
  const pending = [root];
  let complete = true;
  while (pending.length > 0) {
    const folder = pending.pop();
    if (folder === undefined) break;
    // A folder costs a look even where it is empty.
    budget.entries -= 1;
    if (budget.entries < 0) return { paths, targets: [...targets], complete: false };
    const entries = fs.list(folder);
    if (entries === undefined) {
      // A file, or nothing at all, has nothing below it; a folder that cannot be read has something unknown.
      if (folder !== root && !targets.has(folder)) complete = false;
      continue;
    }
    for (const { name, kind } of entries) {
      budget.entries -= 1;
      if (paths.length >= maxEntries || budget.entries < 0)
        return { paths, targets: [...targets], complete: false };
      const path = folder.endsWith("/") ? folder + name : `${folder}/${name}`;
      paths.push(path);
      if (kind === "folder") pending.push(path);
      if (kind !== "link" || !follow) continue;
      const target = fs.realpath(path);
      // A folder that is in the tree anyway is gone through once.
      if (target === undefined || targets.has(target)) continue;
      targets.add(target);
      paths.push(target);
      if (!target.startsWith(root.endsWith("/") ? root : `${root}/`)) pending.push(target);
    }
  }
  return { paths, targets: [...targets], complete };
}

/** Whether a text is a glob to a shell or a search tool. */
export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text);
}

/** The part of a path before its first wildcard, and the rest in components. */
export function splitGlob(path: string): { readonly folder: string; readonly rest: readonly string[] } {
  const parts = path.split("/");
  const at = parts.findIndex(isGlob);
  if (at < 0) return { folder: path, rest: [] };
  const folder = parts.slice(0, at).join("/");
  return {
    folder: folder === "" && path.startsWith("/") ? "/" : folder === "" ? "." : folder,
    rest: parts.slice(at),
  };
}

/**
 * Expands the components of a glob below a folder. `**` is any depth. A shell's wildcard leaves out names that begin
 * with a dot, a search tool's does not (`hidden`).
 */
export function expandGlob(
  fs: PolicyFs,
  folder: string,
  rest: readonly string[],
  hidden: boolean,
  shared: ReachBudget,
): GlobReach {
  const found = new Map<string, GlobMatch>();
  let budget = MAX_TREE_ENTRIES;
  const pending: { readonly at: string; readonly index: number; readonly plain: boolean }[] = [
    { at: folder, index: 0, plain: true },
  ];
  const tests = rest.map(compileName);
  const answer = (complete: boolean): GlobReach => ({ matches: [...found.values()], complete });
  while (pending.length > 0) {
    const state = pending.pop();
    if (state === undefined) break;
    const { at, index, plain } = state;
    const name = rest[index];
    const test = tests[index];
    if (name === undefined || test === undefined) {
      found.set(at, { path: at, plain });
      if (found.size >= MAX_EXPANSIONS) return answer(false);
      continue;
    }
    shared.entries -= 1;
    if (shared.entries < 0) return answer(false);
    const next = (entry: string): string => (at.endsWith("/") ? at + entry : `${at}/${entry}`);
    if (name === "." || name === "") {
      pending.push({ at, index: index + 1, plain });
      continue;
    }
    if (name === ".." || (name !== "**" && !isGlob(name))) {
      const path = next(name);
      const exists = name === ".." || fs.realpath(path) !== undefined || fs.readlink(path) !== undefined;
      if (exists) pending.push({ at: path, index: index + 1, plain: false });
      continue;
    }
    if (name === "**") pending.push({ at, index: index + 1, plain });
    for (const entry of fs.list(at) ?? []) {
      if (!hidden && entry.name.startsWith(".") && !name.startsWith(".")) continue;
      budget -= 1;
      shared.entries -= 1;
      if (budget < 0 || shared.entries < 0) return answer(false);
      const step = { at: next(entry.name), plain: plain && entry.kind !== "link" };
      if (name === "**") {
        if (entry.kind === "folder") pending.push({ ...step, index });
        else if (rest.length === index + 1) pending.push({ ...step, index: index + 1 });
      } else if (test(entry.name)) {
        pending.push({ ...step, index: index + 1 });
      }
    }
  }
  return answer(true);
}

/**
 * Paths that a glob would match if they existed: its wildcards filled in. They stand for the files that are not there
 * yet, or that the file system does not show.
 */
export function sampleGlob(path: string): readonly string[] {
  const all = expandBraces(path) ?? [path];
  return [...new Set(all.flatMap((one) => ["", "x"].map((filler) => fill(one, filler))))];
}

/** A test of one file name against one component of a glob; braces were written out before, or stand for themselves. */
export function compileName(name: string): (entry: string) => boolean {
  if (name.length > 1_000) return () => true;
  try {
    return nameGlob(name);
  } catch {
    // A pattern that is not understood may match anything.
    return () => true;
  }
}

function fill(path: string, filler: string): string {
  return path
    .split("/")
    .map((name) => {
      if (name === "**") return filler === "" ? "." : filler;
      const filled = name
        .replace(/\[[!^]?\]?[^\]]*\]/g, (set) => (/^\[[!^]/.test(set) ? "x" : set.charAt(1)))
        .replace(/\*+/g, filler)
        .replace(/\?/g, "x");
      return filled === "" ? "x" : filled;
    })
    .join("/");
}
