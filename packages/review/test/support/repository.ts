import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A temporary folder with files; dispose it. */
export function makeFolder(files: Readonly<Record<string, string>> = {}) {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-review-test-")));
  const write = (name: string, content: string | Uint8Array): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  return {
    path,
    write,
    remove: (name: string) => rmSync(join(path, name), { recursive: true, force: true }),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

/** A git repository with one commit of the files. */
export function makeRepository(files: Readonly<Record<string, string>> = { "a.txt": "one\ntwo\nthree\n" }) {
  const folder = makeFolder(files);
  const git = (...args: string[]): string => runGit(folder.path, args);
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
  return { ...folder, git };
}

/** Runs git for a test, with nobody's configuration. */
export function runGit(cwd: string, args: readonly string[]): string {
  return execFileSync(
    "git",
    [
      "-c",
      "user.name=Test",
      "-c",
      "user.email=test@example.test",
      "-c",
      "protocol.file.allow=always",
      "-c",
      "commit.gpgSign=false",
      ...args,
    ],
    {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" },
    },
  );
}
