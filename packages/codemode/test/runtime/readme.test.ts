import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createDiscovery, createScriptTool, type ScriptTool } from "../../src/index.ts";
import { createRunner, createTempFiles } from "../../src/node/index.ts";
import { DEFAULT_LIMITS } from "../../src/runner/limits.ts";
import { fakeCaller } from "./fake-caller.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

describe("the README", () => {
  test("its script runs as it stands", async () => {
    const block = /```ts\n(?:import [^\n]*\n)+(\nconst runner[\s\S]*?)```/.exec(readme)?.[1] ?? "";
    expect(block).toContain("runner.run");
    const caller = fakeCaller([{ name: "size", run: ({ name }) => ({ bytes: String(name).charCodeAt(0) }) }]);
    const lines: unknown[][] = [];
    const console = {
      log: (...args: unknown[]) => lines.push(args),
      error: (...args: unknown[]) => lines.push(args),
    };
    const body = `return (async () => {${block}})()`;
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own README
    await (new Function("createRunner", "createDiscovery", "caller", "console", body)(
      createRunner,
      createDiscovery,
      caller,
      console,
    ) as Promise<void>);
    expect(lines).toEqual([[195, [{ type: "text", text: "looked at 2" }]]]);
  });

  test("its tool runs a script in the host that hands it a caller", async () => {
    const block = /```ts\n(?:import [^\n]*\n)+(\nconst tool = [\s\S]*?)```/.exec(readme)?.[1] ?? "";
    const caller = fakeCaller([{ name: "size", run: () => ({ bytes: 7 }) }]);
    const runner = createRunner({ maxProcesses: 1 });
    const lines: unknown[][] = [];
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own README
    const tool = new Function(
      "caller",
      "console",
      "createScriptTool",
      "createRunner",
      "createTempFiles",
      `${block}\nreturn tool;`,
    )(
      caller,
      { log: (...line: unknown[]) => lines.push(line) },
      createScriptTool,
      () => runner,
      createTempFiles,
    ) as ScriptTool;
    expect(lines).toEqual([["codemode", expect.stringContaining("### `size`")]]);
    const code = "return (await tools.size({ name: 'a' })).bytes";
    const result = await tool.execute("c", { code }, undefined, undefined, caller);
    expect(result.content.at(-1)).toEqual({ type: "text", text: "7" });
    await runner.close();
  });

  test("its table of limits says what the code does", () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` +\| ([\d,]+|none) +\|/gm)].map(([, name, value]) => [
      name,
      value === "none" ? undefined : Number(value?.replaceAll(",", "")),
    ]);
    expect(Object.fromEntries(rows)).toEqual({ ...DEFAULT_LIMITS });
  });
});
