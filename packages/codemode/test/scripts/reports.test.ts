import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonValue, PauseSource, ToolCaller } from "@nestbox/tool";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRunner } from "../../src/node/index.ts";
import { formatOutcome } from "../../src/output/format-outcome.ts";
import { createTempFiles } from "../../src/output/node/temp-files.ts";
import { watchedRunner } from "../runtime/crossings.ts";
import { fakeCaller } from "../runtime/fake-caller.ts";
import { harness } from "../runtime/harness.ts";
import { skippingClock } from "../runtime/skipping-clock.ts";

// What users of other code modes reported: each is right here. R14 is the policy's; R2 is proved in runtime/sandbox-process, R16 in
// pi/session.
const scripts = harness();
const run = (...args: Parameters<typeof scripts.run>) => scripts.run(...args);
const value = (...args: Parameters<typeof scripts.value>) => scripts.value(...args);

test("R1: spreading a huge string ends the script, not the host", async () => {
  const outcome = await run('return [...".".repeat(2e8)].length', { limits: { memoryMb: 64 } });
  expect(outcome).toMatchObject({ ok: false, error: { kind: "memory" } });
  expect(await value("return 1")).toBe(1);
});

test("R3: a script that sleeps wakes up", async () => {
  expect(await value("await new Promise((r) => setTimeout(r, 5)); return 'awake'")).toBe("awake");
});

test("R4: a result that is a promise is awaited, and nothing arrives as {} that is not one", async () => {
  const tools = [{ name: "later", run: () => Promise.resolve().then(() => ({ real: [1] })) }];
  expect(await value("return await tools.later({})", { tools })).toEqual({ real: [1] });
  expect(await value("return [new Map([[1, 2]]), new Set([3]), new Error('e'), new Date(0)]")).toEqual([
    [[1, 2]],
    [3],
    expect.objectContaining({ message: "e" }),
    "1970-01-01T00:00:00.000Z",
  ]);
});

test("R5: a tool with an output schema gives its structured content", async () => {
  const tools = [{ name: "data", outputSchema: { type: "object" }, run: () => ({ a: 1 }) }];
  expect(await value("return Object.keys(await tools.data({}))", { tools })).toEqual(["a"]);
});

describe("R6: what models write is read by a parser, JavaScript first", () => {
  test.each<[string, JsonValue]>([
    ["```js\nreturn 1\n```", 1],
    ["export default async () => 2", 2],
    ["async function main() { return 3 }\nmain()", 3],
    ["async function main() { return 4 }", 4],
    ["[1, 2].map((x) => x + 1)", [2, 3]],
    ["const a = true, b = 5, number = 6;\nreturn a ? b : number", 5],
    ["const o = { a: Number, b: String };\nreturn Object.keys(o)", ["a", "b"]],
    ["const x = 3, y = 4;\nreturn x < y ? x : y", 3],
  ])("%j", async (code, expected) => {
    expect(await value(code)).toEqual(expected);
  });
});

test("R7: back-ticks and braces in a script are only text", async () => {
  expect(await value("const t = `a${'`'}b`; return t + '`' + \"${x}\"")).toBe("a`b`${x}");
});

test("R8: no filter looks at the source; what is not there is not there", async () => {
  expect(await value("const api = { import: () => 'mine', require: 1 }; return api.import()")).toBe("mine");
  expect(await value("// import fs from 'fs'\nreturn 'process.exit() eval(require)'")).toContain("eval");
  for (const code of [
    "(0, require)('fs')",
    "globalThis['requ' + 'ire']('fs')",
    "process.exit(1)",
    "await import('node:fs')",
  ]) {
    expect(await run(`return ${code.startsWith("await") ? code : `(${code})`}`)).toMatchObject({
      ok: false,
      error: { kind: "script" },
    });
  }
  expect(await value("return new Function('return typeof process + typeof require')()")).toBe(
    "undefinedundefined",
  );
});

test("R9: an error has a name, a message, its line and the text of the line", async () => {
  const outcome = await run("const a = 1;\n  a.b.c;\nreturn 1");
  expect(outcome).toMatchObject({
    ok: false,
    error: {
      name: "TypeError",
      line: 2,
      lineText: "  a.b.c;",
      message: expect.stringContaining("undefined"),
    },
  });
});

test("R10: the catalogue is fixed for a run, and a mismatch after the effect comes with the value", async () => {
  const base = fakeCaller([{ name: "data", run: () => ({ i: "not a number" }) }]);
  const schema = { type: "object", properties: { i: { type: "number" } }, required: ["i"] };
  const tools = base.tools.map((tool) => ({ ...tool, outputSchema: schema }));
  const caller: ToolCaller = { tools, executeTool: (...args) => base.executeTool(...args) };
  const outcome = await scripts.runner.run({
    code: "return [await tools.data({}), ALL_TOOLS.length]",
    caller,
  });
  expect(outcome).toMatchObject({ ok: true, value: [{ i: "not a number" }, 1] });
  expect(outcome.warnings).toEqual([
    expect.objectContaining({ kind: "schema-mismatch", message: expect.stringContaining("data") }),
  ]);
});

test("R11: every call says whether its effect began", async () => {
  const decision = { effect: "deny", rule: "r", layer: "user" } as const;
  const tools = [
    { name: "done", run: () => 1 },
    { name: "denied", deny: decision },
    { name: "open", run: () => new Promise(() => {}) },
  ];
  const code =
    "await tools.done({}); await tools.denied({}).catch(() => 1); tools.open({}); throw new Error('x')";
  const outcome = await run(code, { tools });
  expect(outcome.calls.map(({ name, status, began }) => [name, status, began])).toEqual([
    ["done", "ok", true],
    ["denied", "denied", false],
    ["open", "cancelled", true],
  ]);
  const { content } = await formatOutcome(outcome, { wallMs: 0, files: createTempFiles() });
  expect(JSON.stringify(content)).toContain("done (ok), denied (denied), open (cancelled)");
});

test("R12: nothing starts before the first script, and an engine that cannot start is an error with a message", async () => {
  const broken = createRunner({ nodePath: join(tmpdir(), "no-such-node") });
  const outcome = await broken.run({ code: "return 1", caller: fakeCaller([]) });
  expect(outcome).toMatchObject({
    ok: false,
    error: { kind: "sandbox", message: expect.stringMatching(/node/i) },
  });
  await broken.close();
});

test("R15: a wedged sandbox is ended, and the clock of a script stands still while a person decides", async () => {
  const wedged = await run("while (true) {}", { limits: { cpuMs: 200 } });
  expect(wedged).toMatchObject({ ok: false, error: { kind: "timeout" } });
  const clock = skippingClock();
  const { runner } = watchedRunner({}, [], clock);
  onTestFinished(() => runner.close());
  let tell = (_paused: boolean): void => {};
  const pauses: PauseSource = {
    subscribe: (listener) => {
      tell = listener;
      return () => {};
    },
  };
  const slow = {
    name: "slow",
    run: async () => {
      tell(true);
      await new Promise((resolve) => setImmediate(resolve));
      clock.skip(40_000);
      tell(false);
      return "decided";
    },
  };
  const caller = fakeCaller([slow], pauses);
  const code = "return await tools.slow({})";
  const outcome = await runner.run({ code, caller, limits: { timeoutMs: 30_000 } });
  expect(outcome).toMatchObject({ ok: true, value: "decided" });
  expect(outcome.stats.pausedMs).toBeGreaterThanOrEqual(40_000);
});

test("R18: one budget cuts, and what was cut is said", async () => {
  const outcome = await run("return 'x'.repeat(100)");
  const { content, fullOutputPath } = await formatOutcome(outcome, {
    maxOutputTokens: 5,
    wallMs: 0,
    files: createTempFiles(),
  });
  expect(JSON.stringify(content)).toContain("original token count: 25");
  expect(JSON.stringify(content)).toContain(fullOutputPath);
});

test("R17: the docs say what is promised and what is not", async () => {
  const page = (path: string) => readFile(new URL(path, import.meta.url), "utf8");
  const section = (text: string, title: string): string =>
    text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${title}\n`)) ?? "";
  const readme = section(await page("../../README.md"), "What is promised, and what is not");
  for (const word of [
    "Fresh isolate",
    "no environment",
    "not a virtual machine",
    "system calls",
    "Windows",
  ]) {
    expect(readme).toContain(word);
  }
  const model = await page("../../../../docs/threat-model.md");
  const promised = section(model, "What the sandbox promises");
  expect(promised.match(/^\d\. /gm)?.length).toBeGreaterThanOrEqual(4);
  expect(promised).toMatch(/a process that is not the host's/);
  const open = section(model, "What the sandbox does not promise");
  for (const word of ["V8 bugs", "Side channels", "What a tool does"])
    expect(open).toContain(`- **${word}.**`);
  expect(open).toMatch(/container or a virtual machine/);
});
