import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { withPeakMemory } from "../support/memory.ts";
import { makeFolder, makeRepository, runGit } from "../support/repository.ts";
import { reportOf, runReviewTool } from "../support/run.ts";

/** A program that leaves a file behind when it runs, and lets git go on. */
function trap(folder: { readonly path: string }, name: string, body = "cat"): string {
  const path = join(folder.path, `${name}.sh`);
  writeFileSync(path, `#!/bin/sh\ntouch "${folder.path}/ran-${name}"\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

function sprung(folder: { readonly path: string }): string[] {
  return readdirSync(folder.path).filter((name) => name.startsWith("ran-"));
}

/** Every key of a configuration that names a program which git may run while it only looks. */
function hostileConfig(traps: { readonly path: string }): string {
  const filters = ["lfs", "evil", "x.y z"].map(
    (name) =>
      `[filter "${name}"]\n\tclean = ${trap(traps, "clean")}\n\tsmudge = ${trap(traps, "smudge")}\n\tprocess = ${trap(traps, "process", "exit 1")}\n\trequired = true\n`,
  );
  return `
[core]
	fsmonitor = ${trap(traps, "fsmonitor", "exit 1")}
	hooksPath = ${traps.path}/hooks
	pager = ${trap(traps, "pager")}
	editor = ${trap(traps, "editor")}
	sshCommand = ${trap(traps, "ssh")}
	askPass = ${trap(traps, "askpass")}
	gitProxy = ${trap(traps, "proxy")}
	alternateRefsCommand = ${trap(traps, "alternate", "exit 0")}
	attributesFile = ${traps.path}/attributes
[pager]
	diff = ${trap(traps, "pagerdiff")}
	config = ${trap(traps, "pagerconfig")}
[diff]
	external = ${trap(traps, "external")}
	orderFile = /dev/zero
[diff "evil"]
	command = ${trap(traps, "command")}
	textconv = ${trap(traps, "textconv")}
	cachetextconv = true
[interactive]
	diffFilter = ${trap(traps, "difffilter")}
[alias]
	diff-files = !${trap(traps, "alias")}
	rev-parse = !${trap(traps, "alias2")}
[gpg]
	program = ${trap(traps, "gpg")}
[credential]
	helper = !${trap(traps, "credential")}
[extensions]
	partialClone = origin
[remote "origin"]
	url = ext::${trap(traps, "remote")}
	promisor = true
	uploadpack = ${trap(traps, "uploadpack")}
[include]
	path = ${traps.path}/included
[submodule]
	recurse = true
[log]
	showSignature = true
[status]
	submoduleSummary = true
${filters.join("")}`;
}

describe("nothing that a repository's configuration names is run", () => {
  test("the traps work: git itself springs them", () => {
    using traps = makeFolder();
    using repository = makeRepository({ "a.txt": "a\n", ".gitattributes": "* filter=evil diff=evil\n" });
    appendFileSync(
      join(repository.path, ".git/config"),
      hostileConfig(traps).replace(/\[include\][^[]*/, ""),
    );
    repository.write("a.txt", "changed\n");
    spawnSync("git", ["diff"], { cwd: repository.path });
    spawnSync("git", ["status"], { cwd: repository.path });
    expect(sprung(traps)).toEqual(expect.arrayContaining(["ran-fsmonitor"]));
    expect(sprung(traps).length).toBeGreaterThan(1);
  });

  test("monitor, hooks, filters, drivers, text converters, pagers, aliases, transports, includes and submodules", async () => {
    using traps = makeFolder();
    using other = makeRepository({ "x.txt": "x\n" });
    using repository = makeRepository({
      "a.txt": "a\n",
      "b.lfs": "b\n",
      ".gitattributes": "* diff=evil filter=evil\n*.lfs filter=lfs -text\n",
    });
    repository.git("submodule", "--quiet", "add", other.path, "sub");
    repository.git("commit", "-q", "-m", "sub");
    repository.git("branch", "base", "HEAD~1");
    repository.write("a.txt", "changed\n");
    repository.write("b.lfs", "changed\n");
    repository.write("c.txt", "new\n");
    repository.write("sub/x.txt", "changed\n");
    traps.write("attributes", "* diff=evil filter=evil\n");
    for (const hook of [
      "post-index-change",
      "reference-transaction",
      "post-checkout",
      "fsmonitor-watchman",
      "pre-auto-gc",
    ]) {
      traps.write(`hooks/${hook}`, `#!/bin/sh\ntouch "${traps.path}/ran-hook-${hook}"\n`);
      chmodSync(join(traps.path, "hooks", hook), 0o755);
    }
    const config = hostileConfig(traps);
    writeFileSync(join(traps.path, "included"), config);
    appendFileSync(join(repository.path, ".git/config"), config);
    appendFileSync(join(repository.path, ".git/modules/sub/config"), config);
    const { data } = await reportOf("collect_diff", repository.path, { base: "base" });
    const changed = data.files
      .filter(({ area }) => area === "unstaged")
      .map(({ path, added, removed }) => ({ path, added, removed }));
    expect(changed).toEqual([
      { path: "a.txt", added: 1, removed: 1 },
      { path: "b.lfs", added: 1, removed: 1 },
    ]);
    expect(data.counts.committed).toBeGreaterThan(0);
    expect(data.files.map(({ path }) => path)).toContain("c.txt");
    expect(sprung(traps)).toEqual([]);
  });

  test("an environment that names programs is not passed on", async () => {
    using traps = makeFolder();
    using repository = makeRepository();
    repository.write("a.txt", "changed\n");
    const hostile: Record<string, string> = {
      GIT_EXTERNAL_DIFF: trap(traps, "external"),
      GIT_PAGER: trap(traps, "pager"),
      GIT_SSH_COMMAND: trap(traps, "ssh"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: trap(traps, "fsmonitor", "exit 1"),
      GIT_DIR: "/nonexistent",
      GIT_TRACE: join(traps.path, "ran-trace"),
    };
    const before = Object.fromEntries(Object.keys(hostile).map((name) => [name, process.env[name]]));
    Object.assign(process.env, hostile);
    try {
      const { data } = await reportOf("collect_diff", repository.path);
      expect(data.files).toMatchObject([{ path: "a.txt" }]);
    } finally {
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect(sprung(traps)).toEqual([]);
  });

  test("a program called git in the project is not the one that runs", async () => {
    using traps = makeFolder();
    using repository = makeRepository();
    const path = join(repository.path, "git");
    writeFileSync(path, `#!/bin/sh\ntouch "${traps.path}/ran-git"\n`);
    chmodSync(path, 0o755);
    const before = process.env["PATH"];
    process.env["PATH"] = `.:${before ?? ""}`;
    try {
      await reportOf("collect_diff", repository.path);
    } finally {
      process.env["PATH"] = before;
    }
    expect(sprung(traps)).toEqual([]);
  });
});

describe("nothing in the tree makes it hang, read elsewhere, or grow", () => {
  test("pipes where files are due", async () => {
    using repository = makeRepository({ "a.txt": "a\n", "b.txt": "b\n" });
    rmSync(join(repository.path, "a.txt"));
    execFileSync("mkfifo", [join(repository.path, "a.txt"), join(repository.path, "untracked-pipe")]);
    repository.write("b.txt", "changed\n");
    const { data } = await reportOf("collect_diff", repository.path);
    expect(data.files.find(({ path }) => path === "a.txt")).toMatchObject({
      truncated: true,
      note: expect.stringContaining("no regular file"),
    });
    expect(data.files.find(({ path }) => path === "b.txt")).toMatchObject({ added: 1 });
  });

  test("pipes where git's own files are due", async () => {
    using repository = makeRepository();
    repository.write("a.txt", "changed\n");
    renameSync(join(repository.path, ".git/config"), join(repository.path, ".git/config-away"));
    execFileSync("mkfifo", [join(repository.path, ".git/config")]);
    execFileSync("mkfifo", [join(repository.path, ".git/info/exclude-pipe")]);
    rmSync(join(repository.path, ".git/info/exclude"), { force: true });
    execFileSync("mkfifo", [join(repository.path, ".git/info/exclude")]);
    const { data } = await reportOf("collect_diff", repository.path);
    expect(data.files).toMatchObject([{ path: "a.txt" }]);
  });

  test("links that lead out are told and not followed", async () => {
    using outside = makeFolder({ "secret.txt": "top secret\n" });
    using repository = makeRepository({ "a.txt": "a\n" });
    rmSync(join(repository.path, "a.txt"));
    symlinkSync(join(outside.path, "secret.txt"), join(repository.path, "a.txt"));
    symlinkSync(join(outside.path, "secret.txt"), join(repository.path, "b.txt"));
    symlinkSync(outside.path, join(repository.path, "folder"));
    const { data, text } = await reportOf("collect_diff", repository.path);
    expect(data.files.map(({ path, kind }) => ({ path, kind }))).toEqual(
      ["a.txt", "b.txt", "folder"].map((path) => ({ path, kind: "symlink" })),
    );
    expect(JSON.stringify(data) + text).not.toContain("top secret");
  });

  test("files of gigabytes cost no gigabytes", async () => {
    using repository = makeRepository({ "a.bin": "a\n" });
    for (const name of ["a.bin", "b.bin"]) {
      repository.write(name, "text\n");
      truncateSync(join(repository.path, name), 3 * 1024 ** 3);
    }
    const { value, growthBytes } = await withPeakMemory(() => reportOf("collect_diff", repository.path));
    expect(
      value.data.files.map(({ path, binary, truncated }) => ({ path, known: binary || truncated })),
    ).toEqual([
      { path: "a.bin", known: true },
      { path: "b.bin", known: true },
    ]);
    expect(growthBytes).toBeLessThan(300 * 1024 ** 2);
  });

  test("a tree that changes while it is read gives a result or a refusal, never a crash", async () => {
    using repository = makeRepository(
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}.txt`, "x\n"])),
    );
    const stop = new AbortController();
    const changing = (async () => {
      for (let round = 0; !stop.signal.aborted; round += 1) {
        const name = join(repository.path, `f${round % 20}.txt`);
        rmSync(name, { recursive: true, force: true });
        if (round % 3 === 0) writeFileSync(name, `${round}\n`.repeat(round % 50));
        else if (round % 3 === 1) mkdirSync(name);
        else symlinkSync("nowhere", name);
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    try {
      let results = 0;
      // Five rounds, and more until one was fast enough to give a result.
      for (let round = 0; round < 5 || (results === 0 && round < 20); round += 1) {
        const run = await runReviewTool("collect_diff", repository.path);
        if (run.kind === "result") results += 1;
        expect(run.kind === "result" ? { isError: run.isError } : run.kind).toEqual(
          run.kind === "result" ? { isError: false } : "error",
        );
      }
      expect(results).toBeGreaterThan(0);
    } finally {
      stop.abort();
      await changing;
    }
  }, 180_000);

  test("terminal sequences in names, contents and messages do not reach the text for the model", async () => {
    using repository = makeRepository();
    repository.write("\u001B]0;owned\u0007name.txt", "\u001B[2Jclear\u001B]52;c;aGk=\u0007\n");
    const { text } = await reportOf("collect_diff", repository.path);
    expect(text).not.toMatch(/[\u001B\u0007]/);
    expect(text).toContain("name.txt");
  });

  test("a git folder that is no repository, or points to one elsewhere, is refused or read as what it is", async () => {
    using folder = makeFolder({ ".git": "gitdir: /etc\n", "a.txt": "a\n" });
    expect((await runReviewTool("collect_diff", folder.path)).kind).toBe("error");
    using empty = makeFolder({ "a.txt": "a\n" });
    mkdirSync(join(empty.path, ".git/objects"), { recursive: true });
    expect(["error", "result"]).toContain((await runReviewTool("collect_diff", empty.path)).kind);
    expect(existsSync(join(empty.path, ".git/index"))).toBe(false);
    expect(runGit(empty.path, ["--version"])).toContain("git");
  });
});
