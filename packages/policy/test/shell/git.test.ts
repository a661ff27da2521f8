import { describe, expect, it } from "vitest";

import { last, resources, analyze, doubts, commands } from "./brief.ts";

const refs = (text: string) => resources(text).filter((line) => / ref /.test(line));

describe("git push names the refs that it changes", () => {
  // contract A23
  it.each([
    ["git push origin main", ["write ref main"]],
    ["git push -f", ["write ref ? (force)"]],
    ["git push --force origin main", ["write ref main (force)"]],
    ["git push --forc origin main", ["write ref main (force)"]],
    ["git push -uf origin main", ["write ref main (force)"]],
    ["git push origin main --force", ["write ref main (force)"]],
    ["git push --force-with-lease origin main", ["write ref main (force)"]],
    ["git push --force-with-lease=main:abc origin main", ["write ref main (force)"]],
    ["git push origin +main", ["write ref main (force)"]],
    ["git push origin '+refs/heads/main'", ["write ref main (force)"]],
    ["git push origin +$BRANCH", ["write ref ? (force)"]],
    ["git push origin HEAD", ["write ref ?"]],
    ["git push origin HEAD:main", ["write ref main"]],
    ["git push origin HEAD:refs/heads/main", ["write ref main"]],
    ["git push origin +HEAD:main", ["write ref main (force)"]],
    ["git push origin a:b c", ["write ref b", "write ref c"]],
    ["git push origin :old", ["delete ref old"]],
    ["git push --delete origin old", ["delete ref old"]],
    ["git push -d origin a b", ["delete ref a", "delete ref b"]],
    ["git push origin tag v1", ["write ref v1"]],
    ["git push origin 'refs/heads/*:refs/heads/*'", ["write ref * (glob)"]],
    ["git push --mirror", ["write ref ? (tree, force)", "delete ref ? (tree, force)"]],
    ["git push --all", ["write ref ? (tree)"]],
    ["git push origin :", ["write ref ?"]],
    ["git -C sub -c color.ui=never push -f origin x", ["write ref x (force)"]],
    ["sudo git push -f origin x", ["write ref x (force)"]],
    ["cd sub && GIT_TRACE=1 git push origin +x", ["write ref x (force)"]],
  ])("%s", (text, expected) => {
    expect(refs(text)).toEqual(expected);
  });

  it("does not take a branch name with -f in it for the flag", () => {
    expect(refs("git push origin batch/1-f")).toEqual(["write ref batch/1-f"]);
    expect(last("git push origin batch/1-f").flags).toEqual([]);
  });

  it("names the host of a URL, and the folder of a local remote", () => {
    expect(resources("git push https://github.com/a/b.git main")).toContain("network host github.com");
    expect(resources("git push git@github.com:a/b.git main")).toContain("network host github.com");
    expect(resources("git push ../other main")).toContain("write ../other (tree)");
  });
});

describe("git commands that only look", () => {
  it.each([
    "git status -sb",
    "git log --oneline -5",
    "git log -p --stat -- src",
    "git diff --cached --name-only",
    "git show HEAD",
    "git --no-pager diff main...HEAD",
    "git branch",
    "git branch -a --contains abc",
    "git branch --list 'x*'",
    "git tag -l 'v*'",
    "git remote -v",
    "git stash list",
    "git config user.name",
    "git config --get core.editor",
    "git rev-parse --show-toplevel",
    "git blame -L 1,5 a.ts",
    "git ls-files -o --exclude-standard",
    "git reflog",
    "git worktree list",
    "git submodule status",
    "git --version",
  ])("%s is read-only", (text) => {
    expect(last(text).readOnly).toBe(true);
    expect(doubts(text)).toEqual([]);
  });

  it.each([
    "git branch new",
    "git branch -D old",
    "git branch -u origin/main",
    "git tag v1",
    "git tag -d v1",
    "git stash",
    "git stash pop",
    "git config user.name x",
    "git config --unset user.name",
    "git remote add o u",
    "git reflog expire --all",
    "git worktree add ../x",
    "git diff --output=x",
    "git diff --ext-diff",
    "git log --output x",
    "git diff --unheard-of",
    "git archive -o x.tar HEAD",
    "git fetch",
    "git log $X",
    "git -p log",
    "git grep -O TODO",
    "git cat-file --textconv HEAD:a",
    "git unheard-of",
    "./git status",
  ])("%s is not", (text) => {
    expect(last(text).readOnly).toBe(false);
  });
});

describe("git reads, writes and deletes paths", () => {
  it.each([
    ["git show HEAD:.env", ["read .env"]],
    ["git show HEAD~3:config/.env", ["read config/.env"]],
    ["git show :.env", ["read .env"]],
    ["git show :0:.env", ["read .env"]],
    ["git cat-file -p HEAD:.env", ["read .env"]],
    ["git diff HEAD:.env other:.env", ["read .env", "read .env"]],
    ["git diff -- .env", ["read .env"]],
    ["git diff -- ':(top).env'", ["read .env"]],
    ["git log -L 1,5:src/.env", ["read src/.env"]],
    ["git diff -O/etc/order", ["read /etc/order"]],
    ["git diff --no-index a ../b", ["read a (tree)", "read ../b (tree)"]],
    ["git blame .env", ["read .env (possible)"]],
    ["git grep secret", ["read . (tree)"]],
    ["git commit -F /etc/passwd", ["read /etc/passwd"]],
    ["git checkout .", ["write . (tree)"]],
    ["git checkout HEAD~1 src/a.ts", ["write src/a.ts (tree)"]],
    ["git checkout -- a b", ["write a (tree)", "write b (tree)"]],
    ["git checkout feature/x", ["write . (within)", "write feature/x (tree, possible)"]],
    ["cd sub && git pull", ["read sub", "write . @/w/sub (within)", "write . (within)"]],
    ["git init a", ["write a", "write a (within)", "write a/.git (within)"]],
    ["git checkout -b feature/x", []],
    ["git restore a", ["write a (tree)"]],
    ["git restore --staged a", ["read a"]],
    ["git stash push -- .env", ["write .env (tree)"]],
    ["git clean -fdx", ["delete . (tree)"]],
    ["git clean -n", []],
    ["git clean -fd build", ["delete build (tree)"]],
    ["git rm -r old", ["delete old (tree)"]],
    ["git rm --cached a", ["read a"]],
    ["git mv a b", ["read a (tree)", "delete a (tree)", "write b (tree)"]],
    ["git apply x.patch", ["read x.patch", "write . (tree)"]],
    ["git apply --check x.patch", ["read x.patch"]],
    ["git archive --output=/tmp/a.tar HEAD", ["write /tmp/a.tar", "read HEAD (possible)"]],
    ["git bundle create /tmp/b HEAD", ["write /tmp/b"]],
    ["git format-patch -o out HEAD~2", ["write out (tree)"]],
    ["git config core.pager x", ["write .git/config"]],
    ["git config --global core.pager x", ["write ~/.gitconfig"]],
    ["git config -f /etc/x a.b c", ["read /etc/x", "write /etc/x"]],
    ["git -C /srv log", ["read /srv"]],
    ["git -C sub show HEAD:./a", ["read sub", "read ./a @/w/sub"]],
    ["git -C a -C b rm c", ["read a", "read b @/w/a", "delete c @/w/a/b"]],
  ])("%s", (text, expected) => {
    expect(resources(text).filter((line) => !/ (ref|host) /.test(line))).toEqual(expected);
  });
});

describe("git is told to run something", () => {
  it.each([
    ["git grep -O'touch x' TODO", "touch x"],
    ["git rebase -x 'rm x' main", "rm x"],
    ["git submodule foreach 'rm x'", "rm x"],
    ["git bisect run rm x", "rm x"],
    ["git clone -u 'rm x' a b", "rm x"],
    ["git fetch --upload-pack='rm x' a", "rm x"],
    ["git push --receive-pack='rm x' a", "rm x"],
  ])("%s", (text, inner) => {
    expect(commands(text)).toContain(`git>${inner}`);
  });

  it.each([
    "git --git-dir=/x status",
    "git --work-tree /x status",
    "git --exec-path=/x status",
    "git -c core.pager=x log",
    "git -c alias.st='!x' st",
    "git --config-env=core.pager=X log",
    "git clone -c core.hooksPath=x a b",
    "git clone --template=/x a b",
    "GIT_DIR=/x git status",
    "GIT_EXTERNAL_DIFF=x git diff",
  ])("%s leaves a doubt", (text) => {
    expect(doubts(text)).toContain("environment");
  });

  it("takes neither an alias nor a remote helper for a command of git", () => {
    expect(analyze("git yolo").commands[0]?.opaque).toMatch(/alias/);
    expect(last("git clone 'ext::sh -c x' y").opaque).toMatch(/helper/);
  });

  it("lets settings pass that only change what is printed", () => {
    expect(doubts("git -c color.ui=never -c core.quotepath=off diff")).toEqual([]);
  });
});
