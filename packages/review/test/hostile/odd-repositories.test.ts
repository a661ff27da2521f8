import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

import { makeFolder, makeRepository, runGit } from "../support/repository.ts";
import { reportOf, runReviewTool } from "../support/run.ts";

/** `status path` of every change of a tree. */
async function changes(path: string, args: object = {}): Promise<string[]> {
  const { data } = await reportOf("collect_diff", path, { ...args });
  return data.files.map((file) => `${file.area} ${file.status} ${file.path}`);
}

/** A repository of a given kind with `a.txt` committed and then changed. */
function changedWith(
  init: readonly string[],
  after: (git: (...args: string[]) => string, path: string) => void = () => {},
) {
  const folder = makeFolder({ "a.txt": "one\ntwo\n", "dir/b.txt": "b\n" });
  const git = (...args: string[]): string => runGit(folder.path, args);
  git("init", "-q", "-b", "main", ...init);
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  after(git, folder.path);
  folder.write("a.txt", "one\n2\n");
  return { ...folder, git };
}

const a = "unstaged modified a.txt";

// Every way in which git may keep what `collect_diff` reads.
describe("a change is the same however the repository is kept", () => {
  test.each<[string, readonly string[], ((git: (...args: string[]) => string, path: string) => void)?]>([
    ["SHA-256 objects", ["--object-format=sha256"]],
    ["packed refs and objects", [], (git) => void (git("pack-refs", "--all"), git("gc", "-q"))],
    ["an index of version 4", [], (git) => void git("update-index", "--index-version=4")],
    ["a split index", [], (git) => void git("update-index", "--split-index")],
    ["an untracked cache", [], (git) => void git("update-index", "--force-untracked-cache")],
    ["a detached HEAD", [], (git) => void git("checkout", "-q", "--detach")],
    [
      "a commit graph and a bitmap",
      [],
      (git) => void (git("commit-graph", "write", "--reachable"), git("repack", "-qadb")),
    ],
    [
      "a replaced object",
      [],
      (git) => void (git("commit", "-q", "--allow-empty", "-m", "second"), git("replace", "HEAD", "HEAD~1")),
    ],
    [
      "a grafted root",
      [],
      (git) => void (git("commit", "-q", "--allow-empty", "-m", "second"), git("replace", "--graft", "HEAD")),
    ],
    [
      "a HEAD that is spelled oddly",
      [],
      (_git, path) => writeFileSync(join(path, ".git/HEAD"), "ref:   refs/heads/main\n\n"),
    ],
    ["a lock that somebody left", [], (_git, path) => writeFileSync(join(path, ".git/index.lock"), "")],
    [
      "a merge message and a bisect",
      [],
      (git, path) => {
        git("bisect", "start");
        writeFileSync(join(path, ".git/MERGE_MSG"), "m");
      },
    ],
    [
      "a description, notes and a stash",
      [],
      (git, path) => {
        git("notes", "add", "-m", "note");
        writeFileSync(join(path, "dir/b.txt"), "stashed\n");
        git("stash", "-q");
      },
    ],
  ])("%s", async (_title, init, after) => {
    using repository = changedWith(init, after);
    expect(await changes(repository.path)).toEqual([a]);
    // And git itself says the same.
    expect(repository.git("status", "--porcelain")).toBe(" M a.txt\n");
  });

  test("a git folder elsewhere, a shared clone and a shallow clone", async () => {
    using origin = changedWith([]);
    origin.git("commit", "-q", "-am", "second");
    using parent = makeFolder();
    const clone = (name: string, ...args: string[]): string => {
      runGit(parent.path, ["clone", "-q", ...args, `file://${origin.path}`, name]);
      const path = join(parent.path, name);
      writeFileSync(join(path, "a.txt"), "changed\n");
      return path;
    };
    expect(await changes(clone("separate", `--separate-git-dir=${join(parent.path, "elsewhere")}`))).toEqual([
      a,
    ]);
    expect(await changes(clone("shallow", "--depth=1"))).toEqual([a]);
    runGit(parent.path, ["clone", "-q", "--shared", origin.path, "shared"]);
    writeFileSync(join(parent.path, "shared/a.txt"), "changed\n");
    expect(await changes(join(parent.path, "shared"))).toEqual([a]);
  });

  test("a sparse checkout: what is not there was not deleted", async () => {
    using repository = changedWith([]);
    repository.git("stash", "-q");
    repository.git("sparse-checkout", "set", "--no-cone", "/a.txt");
    repository.write("a.txt", "changed\n");
    expect(await changes(repository.path)).toEqual([a]);
  });
});

describe("what is told of odd changes", () => {
  test("a file that became a folder, a folder that became a file, and a link that became a file", async () => {
    using repository = makeRepository({ file: "x\n", "folder/inner": "y\n", target: "z\n" });
    symlinkSync("target", join(repository.path, "link"));
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "link");
    repository.remove("file");
    repository.write("file/inner", "x\n");
    repository.remove("folder");
    repository.write("folder", "y\n");
    rmSync(join(repository.path, "link"));
    repository.write("link", "z\n");
    expect((await changes(repository.path)).toSorted()).toEqual([
      "unstaged deleted file",
      "unstaged deleted folder/inner",
      "unstaged type-changed link",
      "untracked untracked file/inner",
      "untracked untracked folder",
    ]);
  });

  test("staged and changed again, staged for the first time and gone, and meant to be added", async () => {
    using repository = makeRepository();
    repository.write("a.txt", "staged\n");
    repository.write("new.txt", "new\n");
    repository.git("add", "-A");
    repository.write("a.txt", "changed again\n");
    repository.remove("new.txt");
    repository.write("meant.txt", "meant\n");
    repository.git("add", "--intent-to-add", "meant.txt");
    expect((await changes(repository.path)).toSorted()).toEqual([
      "staged added new.txt",
      "staged modified a.txt",
      "unstaged added meant.txt",
      "unstaged deleted new.txt",
      "unstaged modified a.txt",
    ]);
  });

  test("a repository inside, untracked, is not read as files of this one", async () => {
    using repository = makeRepository();
    mkdirSync(join(repository.path, "inner"));
    runGit(join(repository.path, "inner"), ["init", "-q"]);
    repository.write("inner/secret.txt", "of another repository\n");
    const { data, text } = await reportOf("collect_diff", repository.path);
    expect(text).not.toContain("of another repository");
    expect(data.files.every(({ path }) => path.startsWith("inner"))).toBe(true);
  });

  test("a name that is no text is told so that it can be read, and others are still listed", async () => {
    using repository = makeRepository();
    writeFileSync(Buffer.concat([Buffer.from(`${repository.path}/bad-`), Buffer.from([0xff, 0xfe])]), "x\n");
    repository.write("good.txt", "y\n");
    const listed = await changes(repository.path);
    expect(listed).toContain("untracked untracked good.txt");
    expect(listed).toHaveLength(2);
    expect(listed.every((line) => line.isWellFormed())).toBe(true);
  });

  test("the middle of a merge, a rebase and a cherry-pick", async () => {
    for (const command of ["merge", "rebase", "cherry-pick"]) {
      using repository = makeRepository();
      repository.git("checkout", "-q", "-b", "side");
      repository.write("a.txt", "side\n");
      repository.git("commit", "-q", "-am", "side");
      repository.git("checkout", "-q", "main");
      repository.write("a.txt", "main\n");
      repository.git("commit", "-q", "-am", "main");
      expect(() => repository.git(command, "side")).toThrow(/Command failed/);
      const listed = await changes(repository.path);
      expect(listed.some((line) => line.includes("unmerged a.txt"))).toBe(true);
    }
  });

  test("a file that may not be read is told, and the others are read", async () => {
    using repository = makeRepository({ "a.txt": "a\n", "b.txt": "b\n" });
    repository.write("a.txt", "changed\n");
    repository.write("b.txt", "changed\n");
    chmodSync(join(repository.path, "b.txt"), 0);
    // The superuser reads it all the same.
    const { data } = await reportOf("collect_diff", repository.path);
    expect(data.files.map(({ path }) => path)).toEqual(["a.txt", "b.txt"]);
  });
});

describe("what is no working tree is refused, never read as one", () => {
  const refused = async (path: string): Promise<string> => {
    const run = await runReviewTool("collect_diff", path);
    if (run.kind !== "error") throw new Error(`not refused: ${JSON.stringify(run)}`);
    return run.message;
  };

  test("a bare repository", async () => {
    using folder = makeFolder();
    runGit(folder.path, ["init", "-q", "--bare"]);
    expect(await refused(folder.path)).toMatch(/git/i);
  });

  test("a git folder whose objects are gone, whose HEAD is rubbish, or whose index is", async () => {
    for (const harm of [
      (git: string) => rmSync(join(git, "objects"), { recursive: true }),
      (git: string) => writeFileSync(join(git, "HEAD"), "\u0000\u0001 rubbish"),
      (git: string) => writeFileSync(join(git, "index"), "DIRC rubbish that is no index at all"),
    ]) {
      using repository = changedWith([]);
      harm(join(repository.path, ".git"));
      const message = await refused(repository.path);
      expect(message.length).toBeLessThan(2_000);
      expect(message).not.toContain(repository.path);
    }
  });

  test("a git file that points in a circle, to nowhere, or to a device", async () => {
    for (const target of [".git", "gone", "/dev/zero", "\n", "x/".repeat(3_000)]) {
      using repository = makeRepository();
      renameSync(join(repository.path, ".git"), join(repository.path, "kept"));
      writeFileSync(join(repository.path, ".git"), `gitdir: ${target}`);
      expect((await refused(repository.path)).length).toBeLessThan(2_000);
    }
  });
});
