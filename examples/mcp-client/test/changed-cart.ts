import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const projects = fileURLToPath(new URL("../../projects", import.meta.url));

export interface ChangedCart extends Disposable {
  readonly project: string;
  /** What git says is changed. */
  status(): string;
}

/** The cart project as a repository, with the change that nobody has committed. Removed at the end of the scope. */
export function changedCart(): ChangedCart {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-review-")));
  const project = join(root, "cart");
  const identity = ["user.name=Ada", "user.email=ada@example.invalid", "commit.gpgSign=false"];
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...identity.flatMap((pair) => ["-c", pair]), ...args], {
      cwd: project,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  cpSync(join(projects, "cart"), project, { recursive: true });
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart that adds up");
  cpSync(join(projects, "cart-change"), project, { recursive: true });
  return {
    project,
    status: () => git("status", "--porcelain", "--untracked-files=all", "--ignored"),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
