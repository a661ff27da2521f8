import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import type { DiffFile } from "../../src/diff.ts";
import { makeFolder, makeRepository, runGit } from "../support/repository.ts";
import { refusalOf, reportOf, runReviewTool } from "../support/run.ts";

function find(files: readonly DiffFile[], path: string, area?: DiffFile["area"]): DiffFile | undefined {
  return files.find((file) => file.path === path && (area === undefined || file.area === area));
}

describe("collect_diff tells what changed, and where it stands", () => {
  test("staged, unstaged and untracked changes of one tree", async () => {
    using repository = makeRepository({ "a.txt": "one\ntwo\nthree\n", "b.txt": "b\n", "gone.txt": "x\n" });
    repository.write("a.txt", "one\n2\nthree\n");
    repository.git("add", "a.txt");
    repository.write("a.txt", "one\n2\nthree\nfour\n");
    repository.remove("gone.txt");
    repository.write("new/c.txt", "c\nd\n");
    const { data, text } = await reportOf("collect_diff", repository.path);
    expect(data.counts).toEqual({ committed: 0, staged: 1, unstaged: 2, untracked: 1 });
    expect(find(data.files, "a.txt", "staged")).toMatchObject({
      status: "modified",
      added: 1,
      removed: 1,
      hunks: [{ oldStart: 1, newStart: 1, lines: [" one", "-two", "+2", " three"] }],
    });
    expect(find(data.files, "a.txt", "unstaged")).toMatchObject({ added: 1, removed: 0 });
    expect(find(data.files, "gone.txt")).toMatchObject({ status: "deleted", area: "unstaged", removed: 1 });
    expect(find(data.files, "new/c.txt")).toMatchObject({
      status: "untracked",
      added: 2,
      hunks: [{ newStart: 1, newLines: 2, lines: ["+c", "+d"] }],
    });
    expect(text).toContain("4 changes: 0 committed, 1 staged, 2 unstaged, 1 untracked");
    expect(text).toContain("+2");
  });

  test("what was committed since the common ancestor with a base", async () => {
    using repository = makeRepository();
    repository.git("checkout", "-q", "-b", "topic");
    repository.write("b.txt", "b\n");
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "second");
    repository.git("checkout", "-q", "main");
    repository.write("main-only.txt", "m\n");
    repository.git("add", "-A");
    repository.git("commit", "-q", "-m", "third");
    repository.git("checkout", "-q", "topic");
    const { data } = await reportOf("collect_diff", repository.path, { base: "main" });
    expect(data.files.map(({ path, area, status }) => ({ path, area, status }))).toEqual([
      { path: "b.txt", area: "committed", status: "added" },
    ]);
    expect(data.base?.mergeBase).toBe(repository.git("merge-base", "main", "topic").trim());
    expect(data.base?.commit).toBe(repository.git("rev-parse", "main").trim());
  });

  test("renames, binaries, links, modes, submodules and conflicts", async () => {
    using repository = makeRepository({
      "old.txt": "1\n2\n3\n4\n5\n6\n7\n8\n",
      "run.sh": "echo\n",
      "c.txt": "c\n",
    });
    using other = makeRepository({ "x.txt": "x\n" });
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.path, "sub");
    repository.git("commit", "-q", "-m", "sub");
    repository.git("mv", "old.txt", "new name.txt");
    repository.write("picture.bin", new Uint8Array([1, 0, 2, 0, 3]));
    symlinkSync("/etc/hostname", join(repository.path, "link"));
    chmodSync(join(repository.path, "run.sh"), 0o755);
    repository.git("add", "new name.txt", "picture.bin");
    runGit(join(repository.path, "sub"), ["commit", "-q", "--allow-empty", "-m", "inner"]);
    const { data } = await reportOf("collect_diff", repository.path);
    expect(find(data.files, "new name.txt")).toMatchObject({
      status: "renamed",
      oldPath: "old.txt",
      added: 0,
      removed: 0,
    });
    expect(find(data.files, "picture.bin")).toMatchObject({ binary: true, hunks: [] });
    expect(find(data.files, "picture.bin")).not.toHaveProperty("added");
    // The link itself, not what it leads to.
    expect(find(data.files, "link")).toMatchObject({
      kind: "symlink",
      hunks: [{ lines: ["+/etc/hostname"] }],
    });
    expect(find(data.files, "run.sh")).toMatchObject({ oldMode: "100644", newMode: "100755" });
    const sub = find(data.files, "sub", "unstaged");
    expect(sub).toMatchObject({ kind: "submodule", status: "modified" });
    expect(sub?.oldCommit).toMatch(/^[0-9a-f]{40}$/);
  });

  test("a conflict is told as one", async () => {
    using repository = makeRepository({ "a.txt": "base\n" });
    repository.git("checkout", "-q", "-b", "side");
    repository.write("a.txt", "side\n");
    repository.git("commit", "-q", "-am", "side");
    repository.git("checkout", "-q", "main");
    repository.write("a.txt", "main\n");
    repository.git("commit", "-q", "-am", "main");
    expect(() => repository.git("merge", "-q", "side")).toThrow(/Command failed/);
    const { data } = await reportOf("collect_diff", repository.path);
    expect(find(data.files, "a.txt", "unstaged")).toMatchObject({
      status: "unmerged",
      note: expect.stringContaining("conflict"),
    });
  });

  test("a repository without a commit", async () => {
    using folder = makeFolder({ "a.txt": "a\n", "b.txt": "b\n" });
    runGit(folder.path, ["init", "-q"]);
    runGit(folder.path, ["add", "a.txt"]);
    const { data } = await reportOf("collect_diff", folder.path);
    expect(data).not.toHaveProperty("head");
    expect(data.files.map(({ path, area, status }) => `${path} ${area} ${status}`)).toEqual([
      "a.txt staged added",
      "b.txt untracked untracked",
    ]);
    expect(await refusalOf("collect_diff", folder.path, { base: "main" })).toMatch(/no commit/i);
  });

  test("names with spaces, quotes, line feeds, dashes and letters of every script", async () => {
    using repository = makeRepository();
    const names = ["-rf", "a b", 'quo"te', "line\nfeed", "ünï-漢字.txt", "back\\slash", ":(top)x", "*.txt"];
    for (const name of names) repository.write(name, "x\n");
    const untracked = await reportOf("collect_diff", repository.path);
    expect(untracked.data.files.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
    repository.git("add", "-A");
    const staged = await reportOf("collect_diff", repository.path);
    for (const name of names)
      expect(find(staged.data.files, name)).toMatchObject({
        area: "staged",
        added: 1,
        hunks: [{ lines: ["+x"] }],
      });
    repository.git("commit", "-q", "-m", "names");
    for (const name of names) repository.write(name, "changed\n");
    const unstaged = await reportOf("collect_diff", repository.path);
    for (const name of names)
      expect(find(unstaged.data.files, name)).toMatchObject({ area: "unstaged", added: 1, removed: 1 });
  });

  test("only the project, when it is a folder of the repository, and a linked working tree", async () => {
    using repository = makeRepository({ "a.txt": "a\n", "inner/b.txt": "b\n" });
    repository.write("a.txt", "changed\n");
    repository.write("inner/b.txt", "changed\n");
    const inner = await reportOf("collect_diff", join(repository.path, "inner"));
    expect(inner.data.files.map(({ path }) => path)).toEqual(["b.txt"]);
    using parent = makeFolder();
    repository.git("worktree", "add", "-q", join(parent.path, "tree"), "-b", "linked");
    parent.write("tree/a.txt", "linked\n");
    const linked = await reportOf("collect_diff", join(parent.path, "tree"));
    expect(linked.data.files).toMatchObject([{ path: "a.txt", hunks: [{ lines: ["-a", "+linked"] }] }]);
  });

  test("a file whose time alone changed is not listed, and ignored files are not", async () => {
    using repository = makeRepository({ "a.txt": "a\n", ".gitignore": "*.log\n" });
    repository.write("a.txt", "a\n");
    repository.write("b.log", "b\n");
    const { data } = await reportOf("collect_diff", repository.path);
    expect(data.files).toEqual([]);
  });

  test("nothing in the git folder is written", async () => {
    using repository = makeRepository();
    repository.write("a.txt", "changed\n");
    repository.write("b.txt", "b\n");
    const state = (): unknown => {
      const files = readdirSync(join(repository.path, ".git"), {
        recursive: true,
        encoding: "utf8",
      }).toSorted();
      return {
        files,
        index: readFileSync(join(repository.path, ".git/index")),
        at: statSync(join(repository.path, ".git/index")).mtimeMs,
      };
    };
    const before = state();
    await reportOf("collect_diff", repository.path, { base: "HEAD" });
    expect(state()).toEqual(before);
  });
});

// contract B11
describe("a large diff comes in bounded pages", () => {
  test("every file once, over a cursor", async () => {
    using repository = makeRepository();
    for (let index = 0; index < 23; index += 1)
      repository.write(`f${String(index).padStart(2, "0")}.txt`, "x\n");
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const { data, text } = await reportOf("collect_diff", repository.path, {
        limit: 10,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(data.total).toBe(23);
      seen.push(...data.files.map(({ path }) => path));
      cursor = data.nextCursor;
      expect(text.includes(cursor ?? "no more")).toBe(cursor !== undefined);
      pages += 1;
    } while (cursor !== undefined && pages < 10);
    expect(pages).toBe(3);
    expect(new Set(seen).size).toBe(23);
  });

  test("a cursor of another state of the tree is refused instead of skipping files", async () => {
    using repository = makeRepository();
    for (const name of ["b", "c", "d"]) repository.write(name, "x\n");
    const { data } = await reportOf("collect_diff", repository.path, { limit: 1 });
    repository.write("a-new", "x\n");
    expect(await refusalOf("collect_diff", repository.path, { limit: 1, cursor: data.nextCursor })).toMatch(
      /changed since/,
    );
    expect(await refusalOf("collect_diff", repository.path, { cursor: "nonsense" })).toMatch(/cursor/);
  });

  test("a huge file, a huge line and a huge number of lines are cut, and counted in full", async () => {
    using repository = makeRepository();
    repository.write("many.txt", "line\n".repeat(50_000));
    repository.write("wide.txt", `${"x".repeat(200_000)}\n`);
    repository.git("add", "many.txt");
    const { data } = await reportOf("collect_diff", repository.path);
    expect(find(data.files, "many.txt")).toMatchObject({ truncated: true, added: 50_000 });
    expect(find(data.files, "wide.txt")).toMatchObject({ truncated: true, added: 1 });
    expect(JSON.stringify(data).length).toBeLessThan(200_000);
  });

  test("a page ends where its text would pass the limit, and the next one goes on from there", async () => {
    using repository = makeRepository();
    for (let index = 0; index < 30; index += 1)
      repository.write(`f${index}.txt`, "some text of a line\n".repeat(2_000));
    const first = await reportOf("collect_diff", repository.path);
    expect(first.data.files.length).toBeLessThan(30);
    expect(JSON.stringify(first.data).length).toBeLessThan(700_000);
    const rest: string[] = [];
    for (let cursor = first.data.nextCursor; cursor !== undefined;) {
      const { data } = await reportOf("collect_diff", repository.path, { cursor });
      rest.push(...data.files.map(({ path }) => path));
      cursor = data.nextCursor;
    }
    expect(new Set([...first.data.files.map(({ path }) => path), ...rest]).size).toBe(30);
  });
});

// contract B7, B8
describe("what comes from the model is checked before git sees it", () => {
  test.each([
    "--output=/tmp/owned",
    "-h",
    "main --exec=x",
    "$(touch x)",
    "main:a.txt",
    "main..HEAD",
    "nowhere",
    "@{u}",
    "a\nb",
    "HEAD^{/first}",
  ])("the base %j is refused", async (base) => {
    using repository = makeRepository();
    const message = await refusalOf("collect_diff", repository.path, { base });
    expect(message).toMatch(/base is not a ref|no commit/);
  });

  test.each(["HEAD", "main", "HEAD~0", "refs/heads/main"])("the base %s is taken", async (base) => {
    using repository = makeRepository();
    const { data } = await reportOf("collect_diff", repository.path, { base });
    expect(data.base?.ref).toBe(base);
  });

  test.each(["../x", "/etc", "a/../../b", "C:\\x"])("the path %s is refused", async (path) => {
    using repository = makeRepository();
    expect(await refusalOf("collect_diff", repository.path, { paths: [path] })).toMatch(/leaves the project/);
  });

  test("paths are names, not patterns", async () => {
    using repository = makeRepository({ "a.txt": "a\n", "b.txt": "b\n" });
    repository.write("a.txt", "x\n");
    repository.write("b.txt", "x\n");
    expect((await reportOf("collect_diff", repository.path, { paths: ["*.txt"] })).data.files).toEqual([]);
    expect(
      (await reportOf("collect_diff", repository.path, { paths: ["./b.txt"] })).data.files,
    ).toMatchObject([{ path: "b.txt" }]);
    expect(
      (await reportOf("collect_diff", repository.path, { paths: [":(exclude)a.txt"] })).data.files,
    ).toEqual([]);
  });

  test("a folder without a repository is refused with what to know", async () => {
    using folder = makeFolder({ "a.txt": "a\n" });
    expect(await refusalOf("collect_diff", folder.path, {})).toMatch(/not in a git repository/);
  });

  // contract B3
  test("an aborted call rejects with AbortError", async () => {
    using repository = makeRepository();
    const controller = new AbortController();
    const pending = runReviewTool("collect_diff", repository.path, {}, { signal: controller.signal });
    controller.abort();
    expect(await pending).toMatchObject({ kind: "aborted" });
  });
});
