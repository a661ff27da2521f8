import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const examples = fileURLToPath(new URL("../../../../examples", import.meta.url));

/** The example project with its uncommitted change, as a repository that is removed at the end of the scope. */
export function brokenCart(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "nestbox-cart-")));
  cpSync(join(examples, "projects/cart"), path, { recursive: true });
  const identity = [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.invalid",
    "-c",
    "commit.gpgSign=false",
  ];
  const git = (...args: string[]): void => {
    execFileSync("git", [...identity, ...args], { cwd: path, stdio: "ignore" });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart that adds up");
  cpSync(join(examples, "projects/cart-change"), path, { recursive: true });
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
