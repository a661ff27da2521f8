import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SharedRepository extends Disposable {
  /** The clone that is worked in; its `main` is one commit ahead. */
  readonly project: string;
  /** A folder for Pi. */
  readonly agentDir: string;
  /** The newest commits of `main`, here and at origin. */
  heads(): { readonly here: string; readonly origin: string };
}

/** A repository with an origin of its own, removed at the end of the scope. */
export function sharedRepository(): SharedRepository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-guard-")));
  const [project, origin] = [join(root, "project"), join(root, "origin.git")];
  const identity = ["user.name=Ada", "user.email=ada@example.invalid", "commit.gpgSign=false"];
  const git = (cwd: string, ...args: readonly string[]): string =>
    execFileSync("git", [...identity.flatMap((pair) => ["-c", pair]), ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const commit = (text: string): void => {
    writeFileSync(join(project, "notes.txt"), text);
    git(project, "add", ".");
    git(project, "commit", "--quiet", "--message", text);
  };
  git(root, "init", "--quiet", "--bare", origin);
  git(root, "init", "--quiet", "--initial-branch=main", project);
  git(project, "remote", "add", "origin", origin);
  commit("first");
  git(project, "push", "--quiet", "origin", "main");
  commit("second");
  return {
    project,
    agentDir: join(root, "agent"),
    heads: () => ({
      here: git(project, "rev-parse", "main"),
      origin: git(origin, "rev-parse", "main"),
    }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
