/**
 * The main job, shown: a script in a V8 isolate in a process of its own reviews a real repository through the
 * policy. The repository is made in a temporary folder, and nothing of it is left behind.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import { main } from "../src/program.ts";

const examples = fileURLToPath(new URL("../../../examples", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "nestbox-demo-"));
const interrupted = new AbortController();
process.once("SIGINT", () => interrupted.abort(new Error("interrupted")));

try {
  makeRepository(project);
  const script = join(examples, "review.ts");
  const policy = relative(process.cwd(), join(examples, "review.policy.jsonc"));
  process.stderr.write(`${dim(`examples/review.ts`)}\n${indent(readFileSync(script, "utf8"))}\n`);
  process.exitCode = await main(
    ["run", script, "--policy", policy, "--cwd", project],
    process,
    interrupted.signal,
  );
} finally {
  rmSync(project, { recursive: true, force: true });
}

/** A repository whose last commit is fine and whose working tree is not. */
function makeRepository(folder: string): void {
  cpSync(join(examples, "projects/cart"), folder, { recursive: true });
  const git = (...args: string[]): void => {
    const identity = [
      "-c",
      "user.name=Demo",
      "-c",
      "user.email=demo@example.invalid",
      "-c",
      "commit.gpgSign=false",
    ];
    execFileSync("git", [...identity, ...args], { cwd: folder, stdio: "ignore" });
  };
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "A cart that adds up");
  cpSync(join(examples, "projects/cart-change"), folder, { recursive: true });
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

function dim(text: string): string {
  return process.stderr.isTTY ? `\u001B[2m${text}\u001B[22m` : text;
}
