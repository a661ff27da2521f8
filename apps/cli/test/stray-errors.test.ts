import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { nestboxProcess } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-stray-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tools = join(folder, "tools.mjs");
writeFileSync(
  tools,
  `const done = { content: [{ type: "text", text: "done" }], details: {} };
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
const tool = (name, execute) => ({ name, description: name, parameters: { type: "object" }, annotations: { readOnlyHint: true, openWorldHint: false }, execute });
export default [
  tool("loses", async () => { Promise.reject(new Error("lost")); await pause(); return done; }),
  tool("throws_late", async () => { setTimeout(() => { throw new Error("late"); }, 1); await pause(); return done; }),
  tool("never_ends", () => new Promise(() => { setTimeout(() => { throw new Error("gone"); }, 1); })),
  tool("floods", async () => { for (let i = 0; i < 100; i++) Promise.reject(new Error("flood " + i)); await pause(); return done; }),
  Object.freeze(tool("calm", async () => done)),
];
`,
);
const run = (code: string) => nestboxProcess(["run", "--eval", code, "--tools", tools, "--json"]);

describe("an error that a tool lets go of", () => {
  it("as a lost rejection is told once, with its tool and place, and the run goes on", async () => {
    const { report, stderr, exitCode } = await run("return [await tools.loses({}), await tools.calm({})]");
    expect(stderr).toMatch(
      /^nestbox: the tool loses let an error go that nobody caught: lost \(at .*tools\.mjs:\d+:\d+\)?.*\n$/,
    );
    expect(report).toMatchObject({ ok: true, value: ["done", "done"] });
    expect(exitCode).toBe(0);
  });

  it("by a throw in a timer fails the call that would never end, and none but it", async () => {
    const { report, stderr, exitCode } = await run(
      `const ended = async (name) => (await ctx.executeTool(name, {})).isError;
       return await Promise.all(["never_ends", "throws_late", "calm"].map(ended))`,
    );
    expect(report.value).toEqual([true, true, false]);
    expect(report.calls[0]?.error).toContain("gone");
    expect(stderr).toMatch(/the tool never_ends let an error go/);
    expect(stderr).toMatch(/the tool throws_late let an error go/);
    expect(exitCode).toBe(0);
  });

  it("is not told a hundred times", async () => {
    const { report, stderr } = await run("return await tools.floods({})");
    expect(report.value).toBe("done");
    expect(stderr.match(/let an error go/g)).toHaveLength(20);
    expect(stderr).toContain("more such errors are not told");
  });

  it("leaves a session with what was declared in it", async () => {
    const { stdout, exitCode } = await nestboxProcess(
      ["repl", "--tools", tools],
      "const kept = 41\nawait tools.loses({})\nawait ctx.executeTool('never_ends', {}).then((one) => one.isError)\nkept + 1\n",
    );
    expect(stdout).toMatch(/done[^]*true[^]*42/);
    expect(exitCode).toBe(0);
  });
});
