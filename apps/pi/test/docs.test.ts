import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { type ExtensionFactory, initTheme } from "@earendil-works/pi-coding-agent";
import { runCommand } from "@nestbox/tool/node";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readParts } from "../src/settings.ts";

const page = readFileSync(fileURLToPath(new URL("../../../docs/pi.md", import.meta.url)), "utf8");
const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");
// Inside of the package, so that the snippets find what it depends on.
const reports = fileURLToPath(new URL("../.reports", import.meta.url));
let folder = "";

beforeAll(() => {
  mkdirSync(reports, { recursive: true });
  folder = mkdtempSync(join(reports, "docs-"));
  initTheme("dark");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function blocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, block = ""]) => block,
  );
}

const snippets = new Map([
  ...blocks(page, "ts").map((block) => [/^\/\/ (\S+\.ts)\n/.exec(block)?.[1] ?? "?", block] as const),
  ...blocks(readme, "ts").map((block, index) => [`readme-${index}.ts`, block] as const),
]);
const tried = new Set<string>();

/** The extension of one block, as somebody would have it in a file. */
async function load(name: string): Promise<ExtensionFactory> {
  const block = snippets.get(name);
  if (block === undefined) throw new Error(`no block ${name}`);
  tried.add(name);
  const file = join(folder, name);
  writeFileSync(file, block);
  const module = (await import(pathToFileURL(file).href)) as { default: ExtensionFactory };
  return module.default;
}

function names(pi: ScriptedPiSession): readonly string[] {
  return pi.session.getAllTools().map(({ name }) => name);
}

const write = `await tools.write({ path: "a.txt", content: "a" }); return "wrote";`;
const run = (code: string) => [call("codemode", { code }, "C"), "done"] as const;

// In their order: the last one looks at what the others have tried.
describe("docs/pi.md and the README", { shuffle: false }, () => {
  it("the whole: scripts, the policy, the review tools", async () => {
    await using pi = await scriptedPiSession({
      ui: { select: () => "Deny" },
      extensions: [await load("whole.ts")],
    });
    expect(pi.activeTools()).toEqual(expect.arrayContaining(["codemode", "run_checks", "review_diff"]));
    await pi.prompt("write", run(write));
    expect(pi.resultText("C")).toContain("Script failed");
    expect(pi.ui?.dialogs[0]?.title).toContain("script line 1:");
    expect(pi.errors).toEqual([]);
  });

  it("the whole: a script reads the policy's own dangers, and its error names the rule that denied", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("whole.ts")] });
    const code = `const { total } = await tools.dangerous_commands({});
      const pushed = await tools.bash({ command: "git push --force origin main" }).catch((error) => [error.name, error.rule]);
      return [total > 0, pushed];`;
    await pi.prompt("look", run(code));
    expect(pi.resultText("C")).toContain('[true,["PolicyError","git.force-push"]]');
  });

  it("the whole, with options: the README's leaves the review tools out and limits calls", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("readme-0.ts")] });
    expect(names(pi)).toContain("codemode");
    expect(names(pi)).not.toContain("run_checks");
    await pi.prompt(
      "flood",
      run("for (let i = 0; i < 300; i++) await tools.read({ path: 'none' }).catch(() => 0)"),
    );
    expect(pi.resultText("C")).toMatch(/200/);
  });

  it("codemode only: nobody is asked", async () => {
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [await load("codemode-only.ts")],
    });
    await pi.prompt("write", run(write));
    expect(pi.resultText("C")).toContain("wrote");
    expect(readFileSync(join(pi.cwd, "a.txt"), "utf8")).toBe("a");
    expect(pi.ui?.dialogs).toEqual([]);
    expect(names(pi)).not.toContain("run_checks");
  });

  it("policy only: the model's own calls are judged", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("policy-only.ts")] });
    await pi.prompt("push", [call("bash", { command: "git push --force origin main" }, "P"), "done"]);
    expect(pi.resultText("P")).toMatch(/force/i);
    expect(names(pi)).not.toContain("codemode");
  });

  it("review only: the tools and how they look", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("review-only.ts")] });
    expect(names(pi)).toEqual(
      expect.arrayContaining([
        "run_checks",
        "failing_tests",
        "collect_diff",
        "dangerous_commands",
        "review_diff",
      ]),
    );
    expect(
      pi.session.extensionRunner.resolveToolRenderers("run_checks", () => undefined)?.renderCall,
    ).toBeTypeOf("function");
    expect(pi.errors).toEqual([]);
  });

  it("joined by hand: a script reads the policy's own dangers, and its calls are judged", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("joined.ts")] });
    const code = `const { total } = await tools.dangerous_commands({});
      const pushed = await tools.bash({ command: "git push --force origin main" }).catch((error) => error.name);
      return [total > 0, pushed];`;
    await pi.prompt("look", run(code));
    expect(pi.resultText("C")).toContain('[true,"PolicyError"]');
    expect(pi.errors).toEqual([]);
  });

  it("beside others: their tool is reached, their guard sees a script's calls", async () => {
    await using pi = await scriptedPiSession({
      ui: { select: () => "Allow once" },
      extensions: [await load("beside.ts"), await load("whole.ts")],
    });
    const code = `const title = await tools.ticket({ number: 7 });
      const wrote = await tools.write({ path: "a.txt", content: "a" }).catch((error) => error.message);
      return [title, wrote];`;
    await pi.prompt("look", run(code));
    expect(pi.resultText("C")).toContain("The cart adds up wrong");
    expect(pi.resultText("C")).toContain("Nothing is written here.");
    expect(existsSync(join(pi.cwd, "a.txt"))).toBe(false);
    expect(pi.errors).toEqual([]);
  });

  it("every switch that a page shows is one", () => {
    const json = [...blocks(page, "json"), ...blocks(readme, "json")].map(
      (block) => JSON.parse(block) as unknown,
    );
    expect(json.map((settings) => [...readParts(settings).off])).toEqual([
      ["review"],
      ["codemode", "review", "traces"],
    ]);
    expect(json.flatMap((settings) => readParts(settings).problems)).toEqual([]);
  });

  it("names every command that there is", async () => {
    await using pi = await scriptedPiSession({ extensions: [await load("whole.ts")] });
    const commands = pi.session.extensionRunner
      .getRegisteredCommands()
      .map(({ invocationName }) => invocationName);
    expect([...commands].sort()).toEqual(["codemode", "policy", "review", "trace"]);
    for (const name of commands) expect(readme).toContain(`\`/${name}`);
  });

  it("every block was tried, and has no type error", { timeout: 120_000 }, async () => {
    expect([...snippets.keys()].sort()).toEqual([...tried].sort());
    const config = { extends: "../../../../tsconfig.base.json", include: ["."] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
    const checked = await runCommand(process.execPath, [tsc, "-p", folder], {
      cwd: folder,
      timeoutMs: 100_000,
    });
    expect(checked.kind).toBe("exited");
    // What the blocks import is checked with them, and has checks of its own.
    const errors = checked.output
      .split("\n")
      .filter((line) => line.includes("error TS") && !line.startsWith("../"));
    expect(errors).toEqual([]);
  });
});
