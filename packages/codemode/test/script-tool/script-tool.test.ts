import type { ToolCaller, ToolResult } from "@nestbox/tool";
import { afterAll, describe, expect, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import type { OutputFiles } from "../../src/output/format-outcome.ts";
import { createScriptStore } from "../../src/script-tool/script-store.ts";
import { createScriptTool, type ScriptToolOptions } from "../../src/script-tool/script-tool.ts";
import { CASE_TOOLS, fakeCaller, type FakeTool } from "../runtime/fake-caller.ts";

const runner = createRunner({ maxProcesses: 1 });
afterAll(() => runner.close());

function setup(options: Partial<ScriptToolOptions> = {}) {
  const written: string[] = [];
  const files: OutputFiles = {
    async write(extension, data) {
      written.push(data);
      return `/spill/${written.length}${extension}`;
    },
  };
  return { written, tool: createScriptTool(runner, { files, ...options }) };
}

const call = (
  { tool }: ReturnType<typeof setup>,
  code: string,
  caller: ToolCaller | undefined = fakeCaller(CASE_TOOLS),
  rest: { readonly signal?: AbortSignal; readonly onUpdate?: (partial: ToolResult) => void } = {},
) => tool.execute("c", { code }, rest.signal, rest.onUpdate, caller);

const textOf = (result: ToolResult) =>
  result.content.map((part) => (part.type === "text" ? part.text : `<${part.mimeType}>`)).join("");

describe("the ready tool for hosts that are not Pi", () => {
  test("runs a script over the caller that the host hands it, and shows it as Pi does", async () => {
    // contract C5
    const caller = fakeCaller(CASE_TOOLS);
    const result = await call(setup(), "text('a'); return (await tools.noop({ i: 3 })).i", caller);
    expect(textOf(result).replace(/[\d.]+ seconds/, "N seconds")).toBe(
      "Script completed\nWall time N seconds\nOutput:\n==> text 1/2 <==\na\n==> text 2/2 <==\n3",
    );
    expect(result).toMatchObject({ details: { stats: { calls: 1 } } });
    expect(result.isError).toBeUndefined();
    expect(caller.made).toEqual([{ name: "noop", args: { i: 3 } }]);
  });

  test("a script that fails is a result with the calls that were made, not a throw", async () => {
    const result = await call(setup(), "await tools.noop({}); throw new RangeError('late')");
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain("RangeError: late\n    at codemode.js:1");
    expect(textOf(result)).toContain("Tool calls made before the failure (they are not undone): noop (ok)");
  });

  test("finds tools, and lists those that it was given in its description", async () => {
    const listed = fakeCaller([
      { name: "my-data", description: "Gives data." },
      { name: "later", exposure: "deferred" },
      { name: "codemode" },
    ]).tools;
    const made = setup({ listed });
    expect(made.tool.description).toContain("### `my_data` (`my-data`)\nGives data.");
    expect(made.tool.description).not.toMatch(/### `(?:later|codemode)`/);
    const found = await call(
      made,
      "return [ALL_TOOLS.length, (await searchTools('echo'))[0].name, await describeTool('echo')]",
    );
    expect(textOf(found)).toMatch(/\[4,"echo",".*declare const tools/s);
  });

  test("never reaches itself, whatever its name and whatever the host makes callable", async () => {
    const tools: FakeTool[] = [...CASE_TOOLS, { name: "script", run: () => ({ ran: true }) }];
    const caller = fakeCaller(tools);
    const result = await call(
      setup({ name: "script" }),
      "return ['script' in tools, ALL_TOOLS.some((t) => t.name === 'script'), (await ctx.executeTool('script', {})).isError]",
      caller,
    );
    expect(textOf(result)).toMatch(/\[false,false,true\]$/);
    expect(caller.made).toEqual([]);
    expect(setup().tool.exposure).toBe("model-only");
  });

  test("says that it needs nested calls where the host has none", async () => {
    const { tool } = setup();
    await expect(tool.execute("c", { code: "1" }, undefined, undefined, undefined)).rejects.toThrow(
      "codemode needs a host whose tools can call others.",
    );
  });

  test("takes what models send instead of `code`, and refuses what is no script", async () => {
    const { tool } = setup();
    expect(tool.prepareArguments?.({ script: "return 1" })).toEqual({ code: "return 1" });
    await expect(tool.execute("c", { other: 1 }, undefined, undefined, fakeCaller([]))).rejects.toThrow(
      /arguments of codemode are not valid/,
    );
    await expect(call(setup(), '// @options: {"tokens": 1}\nreturn 1')).rejects.toThrow(
      /@options only supports/,
    );
  });

  test("the options line, limits and files are the script's", async () => {
    const made = setup();
    const cut = await call(made, '// @options: {"max_output_tokens": 5}\nreturn "x".repeat(100)');
    expect(textOf(cut)).toContain("[Full output: /spill/1.txt (read with offset/limit)]");
    expect(cut.details).toMatchObject({ fullOutputPath: "/spill/1.txt" });
    expect(made.written).toEqual(["x".repeat(100)]);
    const hasty = setup({ limits: { cpuMs: 200 } });
    expect(textOf(await call(hasty, "for (;;);"))).toContain("Script timed out: ");
  });

  test("keeps what scripts store only where it is told to, and says when that is full", async () => {
    const made = setup({ store: createScriptStore(40) });
    await call(made, "store('k', { a: 1 })");
    expect(textOf(await call(made, "return load('k')"))).toMatch(/\{"a":1\}$/);
    expect(textOf(await call(made, "store('k', 'x'.repeat(100)); return 'done'"))).toContain(
      "done\nNote: nothing of this script was stored: the store is full.",
    );
    expect(textOf(await call(made, "store('k', undefined); throw new Error('x')"))).toContain(
      "Script failed",
    );
    expect(textOf(await call(made, "return load('k')"))).toMatch(/\{"a":1\}$/);
    const forgetful = setup();
    await call(forgetful, "store('k', 1)");
    expect(textOf(await call(forgetful, "return String(load('k'))"))).toMatch(/undefined$/);
  });

  test("tells its calls while the script runs, and ends it when it is aborted", async () => {
    // contract B3, B4
    const seen: string[] = [];
    const controller = new AbortController();
    const pending = call(
      setup(),
      "await tools.noop({}); await tools.hang({})",
      fakeCaller([
        ...CASE_TOOLS,
        {
          name: "hang",
          run: () => {
            controller.abort();
            return new Promise(() => undefined);
          },
        },
      ]),
      { signal: controller.signal, onUpdate: (partial) => void seen.push(textOf(partial)) },
    );
    expect(textOf(await pending)).toContain("Script aborted: ");
    expect(seen.join("\n")).toContain("noop: ");
  });

  test("warnings stand in the details", async () => {
    const result = await call(setup(), "Promise.reject(new Error('lost')); return 1");
    expect(result.details).toMatchObject({ warnings: [{ kind: "unhandled-rejection" }] });
  });
});
