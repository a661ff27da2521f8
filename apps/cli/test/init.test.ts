import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { packageNameOf } from "../src/init/package-name.ts";
import { nestbox, type Run } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-init-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const require = createRequire(import.meta.url);
const conditions = "--conditions=@nestbox/source";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}
const manifestOf = (path: string): Manifest => JSON.parse(readFileSync(path, "utf8")) as Manifest;

function runNode(args: readonly string[], cwd: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd, encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` }),
    );
  });
}

describe("nestbox init", () => {
  const made = join(folder, "My Extension");
  let first: Run;
  beforeAll(async () => {
    first = await nestbox(["init", made]);
    // What npm install would put there.
    symlinkSync(modules, join(made, "node_modules"), "dir");
  });

  it("says what it made, and what to do next", () => {
    expect(first.stdout).toMatch(
      /^my-extension is in .*\n {2}package\.json\n[^]*npm install.* && npm test\n$/,
    );
    expect(first.stdout).toMatch(/^Next: cd '.*My Extension' && npm install/m);
    // Until a version is released no registry has it.
    const released = manifestOf(require.resolve("@nestbox/tool/package.json")).version !== "0.0.0";
    expect(first.stdout.includes("is not on npm yet")).toBe(!released);
    expect(first.exitCode).toBe(0);
  });

  it("makes a package whose name comes from the folder and that depends on what this version uses", () => {
    const manifest = manifestOf(join(made, "package.json"));
    expect(manifest.name).toBe("my-extension");
    for (const name of ["@nestbox/tool", "@nestbox/policy"])
      expect(manifest.dependencies[name]).toBe(
        `^${manifestOf(require.resolve(`${name}/package.json`)).version}`,
      );
    for (const name of ["@earendil-works/pi-coding-agent", "typebox"])
      expect(manifest.devDependencies[name]).toBe(
        `^${manifestOf(join(modules, name, "package.json")).version}`,
      );
  });

  it("makes a package that passes publint", async () => {
    const { messages } = await publint({ pkgDir: made, pack: false, strict: true });
    expect(messages).toEqual([]);
  });

  it("makes code that passes its own type check", async () => {
    const compiler = join(modules, "typescript/bin/tsc");
    const { ok, output } = await runNode([compiler, "--customConditions", "@nestbox/source"], made);
    expect(output).toBe("");
    expect(ok).toBe(true);
  });

  it("makes tests that pass: the tool alone, and the rule in a Pi session", async () => {
    const { ok, output } = await runNode(
      [conditions, "--test", "--test-reporter=tap", "test/*.test.ts"],
      made,
    );
    expect(output).toMatch(/# pass 3\n# fail 0\n/);
    expect(ok).toBe(true);
  });

  it("makes a policy whose examples hold", async () => {
    const { exitCode, stdout } = await nestbox(["policy", "test", "--policy", join(made, "policy.jsonc")]);
    expect(stdout).toMatch(/^ok .*1 rule, 3 examples/);
    expect(exitCode).toBe(0);
  });

  it("overwrites nothing", async () => {
    const { exitCode, stderr } = await nestbox(["init", made]);
    expect(stderr).toMatch(/not empty, and nothing is overwritten/);
    expect(exitCode).toBe(2);
    const file = join(folder, "a-file");
    writeFileSync(file, "");
    expect((await nestbox(["init", file])).exitCode).toBe(2);
  });

  it("takes a repository that was just made, and a name", async () => {
    const repository = join(folder, "repository");
    mkdirSync(join(repository, ".git"), { recursive: true });
    const { json } = await nestbox(["init", repository, "--name", "@me/todo", "--json"]);
    expect(json).toMatchObject({
      ok: true,
      name: "@me/todo",
      files: expect.arrayContaining(["policy.jsonc"]),
    });
    expect(manifestOf(join(repository, "package.json")).name).toBe("@me/todo");
    expect(readFileSync(join(repository, "src/extension.ts"), "utf8")).toContain('owner: "@me/todo"');
    const wrong = await nestbox(["init", join(folder, "new"), "--name", 'a"b']);
    expect(wrong.stderr).toContain("--name");
    expect(wrong.exitCode).toBe(2);
  });

  it("finds a name for any folder", () => {
    expect(["Größe 1", "...", "_x", "ok.name"].map(packageNameOf)).toEqual([
      "gr-e-1",
      "my-extension",
      "x",
      "ok.name",
    ]);
  });
});
