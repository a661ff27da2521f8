import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from "node:fs/promises";
import { devNull, homedir, tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";

import { refusal, throwIfAborted } from "@nestbox/tool";
import { runCommand } from "@nestbox/tool/node";

import { limits } from "../../limits.ts";
import { ancestors, findProgram, isFile, isFolder, pathFolders, readTextFile } from "../files.ts";

/**
 * A repository seen through a git folder of our own.
 *
 * A repository's configuration can name programs that git runs while it only looks: a file system monitor, filters,
 * diff drivers, text converters, hooks, a pager, a transport. Naming them all in overrides would be a list that has
 * to be complete, and the names of filters are the repository's to choose. So git never reads that configuration:
 * it runs with a temporary git folder whose configuration is ours, and is shown the repository's objects, refs,
 * index and working tree. Of the real configuration only a few harmless values are read, as data.
 *
 * git's question who owns the repository guards that configuration too, so it is not asked here.
 */
export interface Repository {
  /** Top of the working tree, absolute. */
  readonly top: string;
  /** Path of the project in it, with `/` and a `/` at the end; empty for the top itself. */
  readonly prefix: string;
  /** Commit of HEAD; `undefined` before the first one. */
  readonly head: string | undefined;
  readonly emptyTree: string;
  /** Runs a git command; its standard output, or why there is none. Rejects only with an `AbortError`. */
  git(args: readonly string[], options?: GitOptions): Promise<GitResult>;
}

export interface GitOptions {
  readonly input?: string;
  /** Bytes of standard output that are kept. */
  readonly maxBytes?: number;
}

export type GitResult =
  | { readonly ok: true; readonly stdout: string; readonly truncated: boolean }
  | { readonly ok: false; readonly reason: string };

const configBytes = 1024 * 1024;
const listBytes = 64 * 1024 * 1024;

/** Values of the repository's configuration that change what a diff is and name nothing that runs. */
const harmless: ReadonlyMap<string, RegExp> = new Map([
  ["core.filemode", /^(?:true|false)$/],
  ["core.ignorecase", /^(?:true|false)$/],
  ["core.symlinks", /^(?:true|false)$/],
  ["core.precomposeunicode", /^(?:true|false)$/],
  ["core.autocrlf", /^(?:true|false|input)$/],
  ["core.eol", /^(?:lf|crlf|native)$/],
  ["extensions.objectformat", /^(?:sha1|sha256)$/],
  ["extensions.refstorage", /^(?:files|reftable)$/],
]);
const harmlessPattern =
  "^(core\\.(filemode|ignorecase|symlinks|precomposeunicode|autocrlf|eol)|extensions\\.(objectformat|refstorage))$";
const userPattern = `${harmlessPattern}|^core\\.excludesfile$`;

/** On top of a configuration that is ours already: a second lock on the same doors. */
const overrides = [
  "core.fsmonitor=false",
  `core.hooksPath=${devNull}`,
  "core.pager=cat",
  "core.editor=false",
  "core.sshCommand=false",
  "core.untrackedCache=false",
  "core.quotePath=true",
  // A file of this size is told as binary instead of being read into memory.
  "core.bigFileThreshold=16m",
  "credential.helper=",
  "gpg.program=false",
  "protocol.allow=never",
  "submodule.recurse=false",
  "diff.suppressBlankEmpty=false",
].flatMap((setting) => ["-c", setting]);

const environment: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: devNull,
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_ALLOW_PROTOCOL: "",
  GIT_PAGER: "cat",
  GIT_EDITOR: "false",
  GIT_ASKPASS: "false",
  LC_ALL: "C",
};

const userConfig = { GIT_CONFIG_GLOBAL: undefined, GIT_CONFIG_NOSYSTEM: undefined };

/** Opens the repository around `folder` for `use`, and removes the temporary git folder afterwards. */
export async function withRepository<T>(
  folder: string,
  signal: AbortSignal | undefined,
  use: (repository: Repository) => Promise<T>,
): Promise<T> {
  const git = await findProgram("git", pathFolders());
  if (git === undefined) throw refusal("git is not installed: not on PATH.");
  const found = await discover(folder);
  if (found === undefined)
    throw refusal("This folder is not in a git repository. Nothing can be compared here.");
  const shadow = await mkdtemp(join(tmpdir(), "nestbox-git-"));
  try {
    await furnish(shadow, found);
    const run = (
      args: readonly string[],
      options: GitOptions,
      env: Readonly<Record<string, string | undefined>>,
    ) => runGit(git, args, { ...options, cwd: shadow, env, signal });
    // The user's own configuration and the repository's are read as data only.
    const config = join(found.common, "config");
    const ask = ["-z", "--get-regexp"];
    const user = await run(
      ["config", ...ask, userPattern],
      {},
      { ...environment, GIT_DIR: shadow, ...userConfig },
    );
    const own = (await isFile(config))
      ? await run(
          ["config", "--file", config, "--no-includes", ...ask, harmlessPattern],
          {},
          { ...environment, GIT_DIR: shadow },
        )
      : undefined;
    const settings = new Map([...harmlessSettings(user), ...harmlessSettings(own)]);
    await writeFile(join(shadow, "config"), configText(settings));

    const view = {
      ...environment,
      GIT_DIR: shadow,
      GIT_WORK_TREE: found.top,
      GIT_INDEX_FILE: join(found.gitDir, "index"),
      GIT_OBJECT_DIRECTORY: join(found.common, "objects"),
    };
    const ignore = excludesFile(user);
    const extra = ignore !== undefined && (await isFile(ignore)) ? ["-c", `core.excludesFile=${ignore}`] : [];
    const inView = (args: readonly string[], options: GitOptions = {}) =>
      runGit(git, ["--no-pager", "--literal-pathspecs", ...overrides, ...extra, ...args], {
        ...options,
        cwd: found.top,
        env: view,
        signal,
      });
    const head = await inView(["rev-parse", "--verify", "--quiet", "--end-of-options", "HEAD^{commit}"]);
    const path = relative(found.top, folder).split(sep).join("/");
    const hash = settings.get("extensions.objectformat") === "sha256" ? "sha256" : "sha1";
    return await use({
      top: found.top,
      prefix: path === "" ? "" : `${path}/`,
      head: head.ok ? commitOf(head.stdout) : undefined,
      emptyTree: createHash(hash).update("tree 0\0").digest("hex"),
      git: inView,
    });
  } finally {
    await rm(shadow, { recursive: true, force: true }).catch(() => undefined);
  }
}

export function commitOf(stdout: string): string | undefined {
  return /^[0-9a-f]{40,64}$/.exec(stdout.trim())?.[0];
}

interface FoundRepository {
  readonly top: string;
  /** Holds HEAD and index. */
  readonly gitDir: string;
  /** Holds objects, refs and configuration; another folder for a linked working tree. */
  readonly common: string;
}

async function discover(folder: string): Promise<FoundRepository | undefined> {
  for (const top of ancestors(folder)) {
    const at = join(top, ".git");
    const kind = await stat(at).catch(() => undefined);
    if (kind === undefined) continue;
    let gitDir = at;
    if (!kind.isDirectory()) {
      const target = /^gitdir: ([^\n]+)\n?$/.exec((await readTextFile(at, 64 * 1024)) ?? "")?.[1];
      if (target === undefined) continue;
      gitDir = resolve(top, target.trim());
    }
    const shared = (await readTextFile(join(gitDir, "commondir"), 64 * 1024))?.trim();
    const common = shared === undefined || shared === "" ? gitDir : resolve(gitDir, shared);
    if (await isFolder(join(common, "objects"))) {
      return { top, gitDir: await realpath(gitDir), common: await realpath(common) };
    }
  }
  return undefined;
}

/** Fills the temporary git folder: HEAD and exclusions as copies, what git reads and never runs as links. */
async function furnish(shadow: string, { gitDir, common }: FoundRepository): Promise<void> {
  // As git reads it: spaces after the colon and around it all count for nothing.
  const head = (await readTextFile(join(gitDir, "HEAD"), 4096))?.trim() ?? "";
  const [, ref, commit] = /^(?:ref:\s*(refs\/\S+)|([0-9a-f]{40,64}))$/.exec(head) ?? [];
  // Taken for a repository before its first commit, every file would be told as new.
  if (ref === undefined && commit === undefined)
    throw refusal("The repository's HEAD cannot be read: it is neither a ref nor a commit.");
  await writeFile(join(shadow, "HEAD"), `${ref === undefined ? commit : `ref: ${ref}`}\n`);
  await writeFile(join(shadow, "config"), configText(new Map()));
  await mkdir(join(shadow, "objects"));
  await mkdir(join(shadow, "info"));
  const exclude = await readTextFile(join(common, "info", "exclude"), configBytes);
  if (exclude !== undefined) await writeFile(join(shadow, "info", "exclude"), exclude);
  const link = async (name: string, from: string): Promise<void> => {
    const found = await lstat(join(from, name)).catch(() => undefined);
    if (found === undefined) return;
    await symlink(join(from, name), join(shadow, name), found.isDirectory() ? "junction" : "file");
  };
  for (const name of ["refs", "packed-refs", "reftable", "shallow"]) await link(name, common);
  const names = await readdir(gitDir);
  for (const name of names.filter((entry) => /^sharedindex\.[0-9a-f]{40,64}$/.test(entry)).slice(0, 64))
    await link(name, gitDir);
  if (!(await isFolder(join(shadow, "refs")))) await mkdir(join(shadow, "refs"), { recursive: true });
}

/** The user's own list of ignored files; what the repository says of one is not asked. */
function excludesFile(user: GitResult): string | undefined {
  if (!user.ok) return undefined;
  const entry = user.stdout.split("\0").findLast((line) => line.startsWith("core.excludesfile\n"));
  return entry?.slice("core.excludesfile\n".length).replace(/^~(?=\/)/, homedir());
}

function harmlessSettings(result: GitResult | undefined): readonly (readonly [string, string])[] {
  if (result?.ok !== true) return [];
  return result.stdout.split("\0").flatMap((entry) => {
    const [key = "", value = "true"] = entry.split("\n");
    return harmless.get(key.toLowerCase())?.test(value) === true ? [[key.toLowerCase(), value] as const] : [];
  });
}

function configText(settings: ReadonlyMap<string, string>): string {
  // Extensions count only from this version of the format on.
  const lines = ["[core]", "repositoryformatversion = 1", "bare = false"];
  for (const [key, value] of settings) {
    const [section = "", name = ""] = key.split(".");
    lines.push(`[${section}]`, `${name} = ${value}`);
  }
  return `${lines.join("\n")}\n`;
}

async function runGit(
  git: string,
  args: readonly string[],
  options: GitOptions & {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<GitResult> {
  const { signal, maxBytes = listBytes } = options;
  const result = await runCommand(git, args, {
    cwd: options.cwd,
    env: options.env,
    timeoutMs: limits.gitTimeoutMs,
    maxBytes,
    maxFileBytes: 1,
    ...(signal === undefined ? {} : { signal }),
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  throwIfAborted(signal);
  const command = args.find((arg) => /^[a-z]+(?:-[a-z]+)*$/.test(arg)) ?? "git";
  if (result.kind === "timeout")
    return { ok: false, reason: `git ${command} did not end within ${limits.gitTimeoutMs / 1000} seconds` };
  if (result.kind !== "exited") return { ok: false, reason: `git ${command} was ended` };
  if (result.exitCode !== 0) {
    const why = result.stderr.trim().split("\n").at(0)?.slice(0, 300) ?? "";
    return {
      ok: false,
      reason: `git ${command} exited with code ${result.exitCode}${why === "" ? "" : `: ${why}`}`,
    };
  }
  return { ok: true, stdout: result.stdout, truncated: result.truncated };
}
