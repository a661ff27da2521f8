import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { fixtureTools, nestbox } from "./support/nestbox.ts";

const folder = mkdtempSync(join(tmpdir(), "nestbox-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string): string => join(folder, name);
const write = (name: string, text: string): string => {
  writeFileSync(path(name), text);
  return path(name);
};

/** A tool that leaves a mark in a file with every call. */
const marks = path("marks.txt");
const marking = write(
  "marking.mjs",
  `import { appendFileSync } from "node:fs";
   export default [{ name: "next", description: "Gives the next number.", parameters: { type: "object" }, outputSchema: { type: "object" },
     annotations: { readOnlyHint: true, openWorldHint: false },
     execute: async (_id, { n }) => { appendFileSync(${JSON.stringify(marks)}, "x"); return { content: [{ type: "text", text: "ok" }], details: {}, structuredContent: { n: n + 1 } }; } }];`,
);
const SCRIPT = `const first = await tools.next({ n: 1 });
const second = await tools.next({ n: first.n });
text("at " + Date.now() + " " + Math.random());
return second;`;

async function record(name: string, code = SCRIPT): Promise<string> {
  const file = path(name);
  const run = await nestbox([
    "run",
    write("script.js", code),
    "--tools",
    marking,
    "--record",
    file,
    "--json",
  ]);
  expect(run.exitCode).toBe(0);
  return file;
}

describe("nestbox run --record and nestbox replay", () => {
  it("repeat a run letter for letter, and call no tool", async () => {
    const file = await record("good.json");
    expect(readFileSync(marks, "utf8")).toBe("xx");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { stdout, stderr, exitCode } = await nestbox(["replay", file]);
    expect(stdout).toBe("equal  2 calls, output and value are as recorded; no tool was called\n");
    expect([stderr, exitCode]).toEqual(["", 0]);
    expect((await nestbox(["replay", file, "--json"])).json).toMatchObject({
      ok: true,
      kind: "equal",
      calls: 2,
      divergence: null,
      differences: [],
    });
    expect(readFileSync(marks, "utf8")).toBe("xx");
  });

  it("name the call and the line at which another script goes its own way, with exit code 6", async () => {
    const file = await record("two.json");
    rmSync(marks);
    const other = write("other.js", SCRIPT.replace("n: first.n", "n: first.n + 5"));
    const { stdout, exitCode } = await nestbox(["replay", file, "--with", other]);
    expect(stdout).toMatch(/^diverged {2}at call 2, line 2; no tool was called$/m);
    expect(stdout).toMatch(/^ +recorded +.*next.*"n":2/m);
    expect(stdout).toMatch(/^ +came +.*next.*"n":7/m);
    expect(exitCode).toBe(6);
    const json = await nestbox(["replay", file, "--with", "-", "--json"], SCRIPT.replace("n: 1", "n: 9"));
    expect(json.json).toMatchObject({
      ok: false,
      kind: "diverged",
      divergence: { place: "call", call: 1, line: 1 },
    });
    expect(json.exitCode).toBe(6);
    expect(existsSync(marks)).toBe(false);
  });

  it("show what came out otherwise when every call is the same", async () => {
    const file = await record("value.json");
    const other = SCRIPT.replace("return second", "return { n: second.n, more: true }");
    const { stdout, exitCode } = await nestbox(["replay", file, "--with", "-"], other);
    expect(stdout).toMatch(/^different /);
    expect(stdout).toMatch(/value\.more\n +recorded +nothing\n +came +true/);
    expect(exitCode).toBe(6);
    // A recording whose outcome somebody changed does not fit its calls.
    const recording = JSON.parse(readFileSync(file, "utf8")) as { outcome: { value: unknown } };
    recording.outcome.value = { n: 99 };
    const changed = await nestbox(["replay", write("changed.json", JSON.stringify(recording)), "--json"]);
    expect(changed.json).toMatchObject({
      kind: "different",
      differences: [{ path: "value.n", recorded: "99", came: "3" }],
    });
    expect(changed.exitCode).toBe(6);
  });

  it("repeat denied calls as well, and a script that failed", async () => {
    const file = path("failed.json");
    const run = await nestbox([
      "run",
      "--eval",
      "try { await tools.deploy({}) } catch (error) { text(error.message) } throw new Error('enough')",
      "--tools",
      fixtureTools,
      "--record",
      file,
    ]);
    expect(run.exitCode).toBe(1);
    expect((await nestbox(["replay", file])).stdout).toMatch(/^equal {2}1 call,/);
  });

  it.each([
    ["is not there", () => path("nowhere.json"), /there is no such file/],
    ["is something else", () => write("else.json", "{}"), /not a recording/],
    ["is empty", () => write("empty.json", ""), /its run did not come to an end/],
  ])("refuse a recording that %s, with exit code 2", async (_title, file, message) => {
    const { stderr, exitCode } = await nestbox(["replay", file()]);
    expect(stderr).toMatch(message);
    expect(exitCode).toBe(2);
  });

  it("refuse a file that cannot be written before anything runs", async () => {
    rmSync(marks, { force: true });
    const { stderr, exitCode } = await nestbox([
      "run",
      "--eval",
      SCRIPT,
      "--tools",
      marking,
      "--record",
      join(folder, "no", "such", "folder.json"),
    ]);
    expect(stderr).toMatch(/--record .*cannot be written \(ENOENT\)/);
    expect(exitCode).toBe(2);
    expect(existsSync(marks)).toBe(false);
  });
});
