import picomatch from "picomatch";

import { expandBraces } from "./braces.ts";
import type { PolicyFs } from "./fs.ts";

/** Most entries of a tree or expansions of a glob that one question looks at. */
export const MAX_TREE_ENTRIES = 20_000;
/** Most matches of a glob that are looked at one by one. */
export const MAX_EXPANSIONS = 2_000;

/** What a tree or glob reaches on disk. */
export interface Reach {
  /** Absolute paths; links are named, not followed. */
  readonly paths: readonly string[];
  /** Nothing was left out. */
  readonly complete: boolean;
}

/** Everything below a folder. A folder that does not exist has nothing below it. */
export function listTree(fs: PolicyFs, root: string, skip: (name: string) => boolean = () => false): Reach {
  const paths: string[] = [];
  const pending = [root];
  let complete = true;
  while (pending.length > 0) {
    const folder = pending.pop();
    if (folder === undefined) break;
    const entries = fs.list(folder);
    if (entries === undefined) {
      // A file, or nothing at all, has nothing below it; a folder that cannot be read has something unknown.
      if (folder !== root) complete = false;
      continue;
    }
    for (const { name, kind } of entries) {
      if (skip(name)) continue;
      if (paths.length >= MAX_TREE_ENTRIES) return { paths, complete: false };
      const path = folder.endsWith("/") ? folder + name : `${folder}/${name}`;
      paths.push(path);
      if (kind === "folder") pending.push(path);
    }
  }
  return { paths, complete };
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
export function expandGlob(fs: PolicyFs, folder: string, rest: readonly string[], hidden: boolean): Reach {
  const found = new Set<string>();
  let budget = MAX_TREE_ENTRIES;
  const pending: { readonly at: string; readonly index: number }[] = [{ at: folder, index: 0 }];
  const tests = rest.map(compileName);
  while (pending.length > 0) {
    const state = pending.pop();
    if (state === undefined) break;
    const name = rest[state.index];
    const test = tests[state.index];
    if (name === undefined || test === undefined) {
      found.add(state.at);
      if (found.size >= MAX_EXPANSIONS) return { paths: [...found], complete: false };
      continue;
    }
    const next = (entry: string): string =>
      state.at.endsWith("/") ? state.at + entry : `${state.at}/${entry}`;
    if (name === "." || name === "") {
      pending.push({ at: state.at, index: state.index + 1 });
      continue;
    }
    if (name === "..") {
      pending.push({ at: next(".."), index: state.index + 1 });
      continue;
    }
    if (name !== "**" && !isGlob(name)) {
      const path = next(name);
      if (fs.realpath(path) !== undefined || fs.readlink(path) !== undefined)
        pending.push({ at: path, index: state.index + 1 });
      continue;
    }
    if (name === "**") pending.push({ at: state.at, index: state.index + 1 });
    const entries = fs.list(state.at);
    if (entries === undefined) continue;
    for (const entry of entries) {
      if (!hidden && entry.name.startsWith(".") && !name.startsWith(".")) continue;
      budget -= 1;
      if (budget < 0) return { paths: [...found], complete: false };
      if (name === "**") {
        if (entry.kind === "folder") pending.push({ at: next(entry.name), index: state.index });
        else if (rest.length === state.index + 1)
          pending.push({ at: next(entry.name), index: state.index + 1 });
      } else if (test(entry.name)) {
        pending.push({ at: next(entry.name), index: state.index + 1 });
      }
    }
  }
  return { paths: [...found], complete: true };
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
    const expression = picomatch.makeRe(name, { dot: true, noextglob: true, nonegate: true, windows: false });
    return (entry) => expression.test(entry);
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
