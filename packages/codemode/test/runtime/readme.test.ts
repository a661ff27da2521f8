import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { DEFAULT_LIMITS } from "../../src/runner/limits.ts";
import { fakeCaller } from "./fake-caller.ts";

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

describe("the README", () => {
  test("its script runs as it stands", async () => {
    const block = /```ts\nimport \{ createRunner \}[^\n]*\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
    expect(block).toContain("runner.run");
    const caller = fakeCaller([{ name: "size", run: ({ name }) => ({ bytes: String(name).charCodeAt(0) }) }]);
    const lines: unknown[][] = [];
    const console = {
      log: (...args: unknown[]) => lines.push(args),
      error: (...args: unknown[]) => lines.push(args),
    };
    const body = `return (async () => {${block}})()`;
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is this repository's own README
    await (new Function("createRunner", "caller", "console", body)(
      createRunner,
      caller,
      console,
    ) as Promise<void>);
    expect(lines).toEqual([[195, [{ type: "text", text: "looked at 2" }]]]);
  });

  test("its table of limits says what the code does", () => {
    const rows = [...readme.matchAll(/^\| `(\w+)` +\| ([\d,]+|none) +\|/gm)].map(([, name, value]) => [
      name,
      value === "none" ? undefined : Number(value?.replaceAll(",", "")),
    ]);
    expect(Object.fromEntries(rows)).toEqual({ ...DEFAULT_LIMITS });
  });
});
