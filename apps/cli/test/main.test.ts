import { execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "vitest";

import { createInterrupts } from "../src/interrupts.ts";
import { nodeProblem } from "../src/node-version.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-main-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const source = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../src/${name}`, import.meta.url)), "utf8");

/** The beginning of the program as plain JavaScript, next to a program that an old Node cannot even parse. */
function beginning(version: string): string {
  const javascript = (name: string): string =>
    stripTypeScriptTypes(source(`${name}.ts`)).replaceAll(
      /(from |import\()"\.\/([\w-]+)\.ts"/g,
      '$1"./$2.mjs"',
    );
  writeFileSync(join(folder, "node-version.mjs"), javascript("node-version"));
  writeFileSync(join(folder, "program.mjs"), "this is no JavaScript");
  const main = join(folder, `main-${version}.mjs`);
  writeFileSync(
    main,
    javascript("main").replace(
      "process.version",
      version === "" ? "process.version" : JSON.stringify(version),
    ),
  );
  return main;
}

function runFile(node: string, file: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(node, [file, "run", "x.js"], { encoding: "utf8" }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

describe("a Node that is too old", () => {
  it("is told of with its version, its place and the way out", () => {
    expect(nodeProblem("v20.20.2", "/usr/bin/node")).toMatch(
      /^nestbox: Node v20\.20\.2 \(\/usr\/bin\/node\) is too old: .*22\.19.*\nInstall Node 26/,
    );
    expect(nodeProblem("v22.18.0", "node")).toContain("too old");
    for (const version of ["v22.19.0", "v24.1.0", "v26.10.0"])
      expect(nodeProblem(version, "node")).toBeUndefined();
  });

  it("gets one message and exit code 5, before anything else is loaded", async () => {
    const { code, stdout, stderr } = await runFile(process.execPath, beginning("v20.1.0"));
    expect(stderr).toMatch(/^nestbox: Node v20\.1\.0 .* too old/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).toBe("");
    expect(code).toBe(5);
  });

  const old = ["/usr/bin/node", "/usr/local/bin/node"].filter(
    (file) => existsSync(file) && execFileSync(file, ["--version"], { encoding: "utf8" }).startsWith("v20."),
  );
  it.each(old)("gets it from a real Node 20 too, where there is one (%s)", async (node) => {
    const { code, stderr } = await runFile(node, beginning(""));
    expect(stderr).toMatch(/^nestbox: Node v20\..* too old/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(code).toBe(5);
  });
});

describe("a reader that has seen enough", () => {
  it("ends the command without a word", async () => {
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
    const child = spawn(process.execPath, ["--conditions=@nestbox/source", "--no-warnings", main, "--help"]);
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise((resolve) => child.on("close", resolve));
    expect([code, stderr]).toEqual([0, ""]);
  });
});

describe("in a checkout", () => {
  const root = fileURLToPath(new URL("../../..", import.meta.url));
  const typed = join(folder, "typed-here");
  mkdirSync(typed, { recursive: true });
  writeFileSync(join(typed, "mine.js"), "return 6 * 7");

  /** Without what the package manager that runs the tests has put there. */
  function run(file: string, words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_|INIT_CWD)/i.test(name));
    const env = { ...Object.fromEntries(own), npm_config_update_notifier: "false", ...more };
    return new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>(
      (resolve) => {
        execFile(file, words, { cwd: typed, env, encoding: "utf8" }, (error, stdout, stderr) =>
          resolve({ code: error?.code ?? 0, stdout, stderr }),
        );
      },
    );
  }

  it("the root's script takes paths from where it was typed", { timeout: 120_000 }, async () => {
    const words = ["--prefix", root, "run", "--silent", "nestbox", "--", "run", "mine.js"];
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const { code, stdout, stderr } = await run(npm, words);
    expect(code === 0 ? stdout : stderr).toBe("42\n");
  });

  it("as part of somebody's own script it stays in the folder in which that runs", async () => {
    const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
    const words = ["--conditions=@nestbox/source", "--no-warnings", main, "run", "mine.js"];
    const { code, stdout, stderr } = await run(process.execPath, words, {
      npm_lifecycle_event: "review",
      INIT_CWD: root,
    });
    expect(code === 0 ? stdout : stderr).toBe("42\n");
  });
});

describe("Ctrl-C", () => {
  it("ends the command, unless a part of it has asked for it meanwhile", () => {
    const interrupts = createInterrupts();
    let told = 0;
    const release = interrupts.take(() => (told += 1));
    expect(interrupts.interrupt()).toBe(true);
    expect([told, interrupts.signal.aborted]).toEqual([1, false]);
    release();
    expect(interrupts.interrupt()).toBe(false);
    expect([told, interrupts.signal.aborted]).toEqual([1, true]);
  });

  it("ends with SIGTERM whoever has Ctrl-C", () => {
    const interrupts = createInterrupts();
    interrupts.take(() => {});
    interrupts.end("terminated");
    expect(interrupts.signal.reason).toMatchObject({ message: "terminated" });
  });
});
