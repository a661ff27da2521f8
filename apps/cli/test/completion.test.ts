import { execFile, execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import { nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-completion-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function completed(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await nestbox(["__complete", ...words]);
  return stdout.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

describe("the words that may come next", () => {
  it("are the commands, and the subcommands of a command", async () => {
    expect(await completed("")).toEqual(
      expect.arrayContaining(["run", "check", "tools", "policy", "doctor"]),
    );
    expect(await completed("")).not.toContain("__complete");
    expect(await completed("d")).toEqual(["describe", "doctor"]);
    expect(await completed("policy", "l")).toEqual(["lint", "log"]);
  });

  it("are options after a dash, those that cannot be repeated only once", async () => {
    expect(await completed("run", "--t")).toEqual(["--tools", "--timeout-ms", "--trace"]);
    expect(await completed("run", "x.ts", "--trace", "t.json", "--tools", "a.mjs", "--t")).toEqual([
      "--tools",
      "--timeout-ms",
    ]);
    expect(await completed("run", "--v")).toEqual([]);
  });

  it("are nothing where a file or a value is expected, so that the shell completes files", async () => {
    expect(await completed("run", "")).toEqual([]);
    expect(await completed("run", "--policy", "")).toEqual([]);
    expect(await completed("run", "run", "")).toEqual([]);
  });

  it("are the choices of an argument, and the names of tools and namespaces", async () => {
    expect(await completed("completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(await completed("policy", "import", "c")).toEqual(["claude-code", "codex"]);
    expect(await completed("describe", "re")).toEqual(["review", "review_diff"]);
  });

  it("load no module of tools: a key that is pressed runs nothing", async () => {
    const module = join(folder, "loud.mjs");
    writeFileSync(module, "throw new Error('loaded');");
    const { exitCode, stdout } = await nestbox(["__complete", "describe", "--tools", module, ""]);
    expect(stdout).toBe("");
    expect(exitCode).toBe(0);
  });
});

/** A `nestbox` on PATH, as an installed one is. */
function withCommand(): NodeJS.ProcessEnv {
  const program = fileURLToPath(new URL("../src/main.ts", import.meta.url));
  const file = join(folder, "nestbox");
  writeFileSync(
    file,
    `#!/bin/sh\nexec "${process.execPath}" --conditions=@nestbox/source "${program}" "$@"\n`,
  );
  chmodSync(file, 0o755);
  return { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"] ?? ""}` };
}

function shell(name: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(name, args, { env: withCommand(), encoding: "utf8" }, (error, stdout, stderr) =>
      error === null ? resolve(stdout) : reject(new Error(stderr || error.message)),
    );
  });
}

function has(name: string): boolean {
  try {
    execFileSync(name, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** What to say to each shell, and what it must answer; those that are on this machine are tried. */
const shells: readonly (readonly [string, readonly string[], RegExp])[] = [
  [
    "bash",
    [
      "--norc",
      "-c",
      `eval "$(nestbox completion bash)"; COMP_WORDS=(nestbox policy "li"); COMP_CWORD=2; _nestbox; printf '%s\\n' "\${COMPREPLY[@]}"; complete -p nestbox`,
    ],
    /^lint\ncomplete -o default -F _nestbox nestbox\n$/,
  ],
  [
    "fish",
    ["--no-config", "-c", `nestbox completion fish | source; complete -C "nestbox policy li"`],
    /^lint\t/m,
  ],
  [
    "zsh",
    [
      "-f",
      "-c",
      // The completion system itself needs a terminal: its function gets what it would hand over.
      `compdef() { registered=$* }; _describe() { print -l -- $registered $found }; _files() { print files }
       source <(nestbox completion zsh); words=(nestbox policy li); CURRENT=3; _nestbox; words=(nestbox run ""); _nestbox`,
    ],
    /^_nestbox nestbox\nlint:.*\nfiles\n$/,
  ],
];

describe("in a real shell", () => {
  it.each(shells.filter(([name]) => has(name)))(
    "%s completes from what completion prints",
    async (name, args, answer) => {
      expect(await shell(name, args)).toMatch(answer);
    },
  );

  it("an unknown one is told which there are", async () => {
    const { exitCode, stderr } = await nestbox(["completion", "csh"]);
    expect(stderr).toMatch(/bash, zsh, fish/);
    expect(exitCode).toBe(2);
  });
});
