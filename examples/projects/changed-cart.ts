import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const projects = fileURLToPath(new URL(".", import.meta.url));

export interface ChangedCart extends Disposable {
  readonly project: string;
  /** Empty folders, for Pi and for temporary files. */
  readonly agentDir: string;
  readonly temp: string;
  /** What git says is changed. */
  status(): string;
}

/** The cart project as a repository, with the change that nobody has committed. Removed at the end of the scope. */
export function changedCart(): ChangedCart {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-review-")));
  const [project, agentDir, temp] = [join(root, "cart"), join(root, "agent"), join(root, "temp")];
  for (const folder of [agentDir, temp]) mkdirSync(folder);
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
    agentDir,
    temp,
    status: () => git("status", "--porcelain", "--untracked-files=all", "--ignored"),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
