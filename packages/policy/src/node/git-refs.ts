import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import type { RefResolver } from "../engine/options.ts";

/** Largest file of git's that is read. */
const MAX_BYTES = 1024 * 1024;

/** Sections and values of git's configuration: `branch "main"` → `merge` → values, in order. */
type GitConfig = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

/**
 * Looks up where a plain `git push` goes by reading git's own files; git itself is never run. What is not plain
 * (included files, refspecs of a remote, mirrors, `matching`, a detached head) is not known.
 */
export function nodeGitRefs(options: { readonly home: string }): RefResolver {
  return {
    pushTargets(cwd, remote) {
      const repository = findRepository(cwd);
      if (repository === undefined) return undefined;
      const branch = /^ref: refs\/heads\/(\S+)\s*$/.exec(
        readText(join(repository.gitDir, "HEAD")) ?? "",
      )?.[1];
      const config = readConfig([
        "/etc/gitconfig",
        join(options.home, ".config", "git", "config"),
        join(options.home, ".gitconfig"),
        join(repository.commonDir, "config"),
        join(repository.gitDir, "config.worktree"),
      ]);
      if (branch === undefined || config === undefined) return undefined;
      return targetsOf(config, branch, remote);
    },
  };
}

function targetsOf(
  config: GitConfig,
  branch: string,
  asked: string | undefined,
): readonly string[] | undefined {
  const own = config.get(`branch ${branch}`);
  const upstream = last(own?.get("remote"));
  const remote =
    asked ??
    last(own?.get("pushremote")) ??
    last(config.get("remote")?.get("pushdefault")) ??
    upstream ??
    "origin";
  const settings = config.get(`remote ${remote}`);
  if (settings?.has("push") === true || settings?.has("mirror") === true) return undefined;
  const merge = last(own?.get("merge"))?.replace(/^refs\/heads\//, "");
  switch (last(config.get("push")?.get("default")) ?? "simple") {
    case "nothing":
      return [];
    case "current":
      return [branch];
    case "upstream":
    case "tracking":
      return merge === undefined ? undefined : [merge];
    case "simple":
      // With an upstream of another name git refuses; both are told, so that neither slips by.
      return merge === undefined || remote !== upstream ? [branch] : [...new Set([branch, merge])];
    default:
      return undefined;
  }
}

function findRepository(cwd: string): { readonly gitDir: string; readonly commonDir: string } | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, ".git");
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) return { gitDir: path, commonDir: path };
    if (stats?.isFile() === true) {
      const named = /^gitdir: (.+?)\s*$/.exec(readText(path) ?? "")?.[1];
      if (named === undefined) return undefined;
      const gitDir = resolve(folder, named);
      const common = readText(join(gitDir, "commondir"))?.trim();
      return { gitDir, commonDir: common === undefined ? gitDir : resolve(gitDir, common) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** All files as one, later ones last; `undefined` when one includes another or cannot be understood. */
function readConfig(paths: readonly string[]): GitConfig | undefined {
  const sections = new Map<string, Map<string, string[]>>();
  for (const path of paths) {
    const text = readText(path);
    if (text === undefined) continue;
    let section = new Map<string, string[]>();
    for (const line of text.split("\n")) {
      const trimmed = line.trim();
      if (trimmed === "" || trimmed.startsWith("#") || trimmed.startsWith(";")) continue;
      const header = /^\[\s*([\w.-]+)(?:\s+"([^"\\]*)")?\s*\]$/.exec(trimmed);
      if (header !== null) {
        const name = header[1]?.toLowerCase() ?? "";
        if (name === "include" || name === "includeif") return undefined;
        const key = header[2] === undefined ? name : `${name} ${header[2]}`;
        section = sections.get(key) ?? new Map();
        sections.set(key, section);
        continue;
      }
      const entry = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/.exec(trimmed);
      // A line that goes on, or a form that is not known: the file cannot be relied on.
      if (entry === null || trimmed.endsWith("\\") || trimmed.startsWith("[")) return undefined;
      const name = entry[1]?.toLowerCase() ?? "";
      section.set(name, [...(section.get(name) ?? []), unquote(entry[2] ?? "true")]);
    }
  }
  return sections;
}

function unquote(value: string): string {
  const quoted = /^"([^"\\]*)"$/.exec(value.trim());
  return quoted?.[1] ?? value.replace(/\s[#;].*$/, "").trim();
}

function last(values: readonly string[] | undefined): string | undefined {
  return values?.at(-1);
}

function readText(path: string): string | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= MAX_BYTES ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
