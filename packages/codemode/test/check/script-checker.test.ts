import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallableTool } from "@nestbox/tool";
import { runCommand } from "@nestbox/tool/node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnosticsText } from "../../src/check/diagnostics-text.ts";
import { renderDeclarationFile } from "../../src/check/declaration-file.ts";
import { nameTools } from "../../src/declarations/identifier.ts";
import { renderSample } from "../../src/declarations/tool-declaration.ts";
import { createScriptChecker, type ScriptChecker } from "../../src/check/node/script-checker.ts";

const tools: CallableTool[] = [
  {
    name: "data",
    description: "Data.",
    parameters: {
      type: "object",
      properties: {
        i: { type: "number" },
        mode: { enum: ["fast", "slow"] },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["i"],
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { i: { type: "number" }, list: { type: "array", items: { type: "string" } }, any: {} },
      required: ["i", "list"],
    },
  },
  { name: "my-tool", description: "Dash */ and `ticks`.", parameters: { type: "object", properties: {} } },
  {
    name: "my_tool",
    description: "Owner.",
    parameters: { type: "object", properties: { a: { type: "string" } } },
  },
  ...["delete", "class", "then", "constructor", "new", "__proto__", "", "🦊", "a b"].map(
    (name): CallableTool => ({
      name,
      description: "*/ x\ny",
      parameters: { type: "object", properties: {} },
    }),
  ),
  {
    name: "tree",
    description: "Recursive.",
    parameters: {
      type: "object",
      properties: { root: { $ref: "#/$defs/Node" } },
      required: ["root"],
      $defs: {
        Node: {
          type: "object",
          properties: { next: { $ref: "#/$defs/Node" }, id: { type: "string" } },
          required: ["id"],
        },
      },
    },
    outputSchema: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }], $defs: { A: { $ref: "#/$defs/A" } } },
  },
  {
    name: "loop",
    description: "Circular.",
    parameters: { $ref: "#/$defs/A", $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }] } } },
  },
  {
    name: "record",
    description: "Mixed record.",
    parameters: {
      type: "object",
      properties: { a: { type: "string", description: "*/ evil\nnext" }, "b-c": { type: "integer" } },
      additionalProperties: { type: "boolean" },
    },
  },
];

let folder: string;
let checker: ScriptChecker;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "checker-"));
  checker = createScriptChecker({ folder, timeoutMs: 60_000 });
});

afterAll(() => rm(folder, { recursive: true }));

const check = (code: string) => checker.check({ code, tools });

describe("calls that are wrong are told before anything runs", () => {
  test.each([
    [
      "a wrong type",
      'const a = 1;\nawait tools.data({ i: "x" })',
      2,
      /Type 'string' is not assignable to type 'number'/,
    ],
    ["an unknown argument", "await tools.data({ i: 1, mod: 'fast' })", 1, /'mod' does not exist in type/],
    ["a missing argument", "await tools.data({})", 1, /Property 'i' is missing/],
    ["a wrong choice", "await tools.data({ i: 1, mode: 'quick' })", 1, /"quick".*"fast" \| "slow"/],
    ["no argument at all", "await tools.data()", 1, /Expected 1 arguments/],
    [
      "a tool that does not exist",
      "\n\nawait tools.dta({ i: 1 })",
      3,
      /Property 'dta' does not exist on type 'Tools'. Did you mean 'data'/,
    ],
    ["a slip in a result", "const r = await tools.data({ i: 1 });\nreturn r.lst", 2, /Did you mean 'list'/],
    ["a name that does not exist", "return proces.env", 1, /Cannot find name 'proces'/],
    [
      "a wrong type in TypeScript",
      "const n: string = 'x';\nawait tools.data({ i: n })",
      2,
      /not assignable to type 'number'/,
    ],
    ["inside a fence", "Run:\n```js\nawait tools.data({ i: 'x' })\n```", 3, /not assignable/],
    [
      "deep inside of arguments",
      "await tools.tree({ root: { id: 'a', next: { id: 1 } } })",
      1,
      /not assignable/,
    ],
    ["in a record", "await tools.record({ a: 1 })", 1, /not assignable/],
    ["in a default export", "export default async () => tools.data({ i: 'x' })", 1, /not assignable/],
    ["behind a `var`", "var a = 1, b = await tools.data({ i: 'x' })", 1, /not assignable/],
    [
      "beside a name of the same kind",
      "const o = { tools: 1 }; o.tools = 2; await tools.data({})",
      1,
      /missing/,
    ],
  ])("%s", async (_, code, line, message) => {
    const outcome = await check(code);
    const lineText = code.split("\n")[line - 1];
    expect(outcome).toMatchObject({
      kind: "faulty",
      diagnostics: [{ line, message: expect.stringMatching(message), lineText }],
    });
  });
});

describe("scripts that are right are clean", () => {
  test.each([
    "return await tools.data({ i: 1, mode: 'fast', tags: ['a'] })",
    "const r = await tools.data({ i: 1 });\nreturn r.list.map((x) => x.length).concat(r.any.deep.er)",
    "await tools['my-tool']({}); await tools.my_tool({ a: 'x' })",
    "await tools.delete({}); await tools.class({}); await tools.constructor({}); await tools['']({}); await tools['a b']({})",
    "await tools.record({ a: 'x', other: true })",
    "await tools.tree({ root: { id: 'a', next: { id: 'b' } } })",
    "const rs = await Promise.allSettled([tools.data({ i: 1 })]);\nreturn rs.map((r) => r.value)",
    "const o = {}; o.x = 1; const f = (a) => a.b.c; class A { constructor() { this.y = 1 } }\nreturn [o.x, f, new A().y]",
    "const { i = 2, ...rest } = JSON.parse(load('x') ?? '{}'); store('k', rest); text(i); image(rest.p); console.log(1); exit()",
    "await new Promise((r) => setTimeout(r, 10)); return [new URL('https://a.test').host, structuredClone({ a: 1 }).a]",
    "interface A { n: number }\nconst a = { n: 2 } as A;\nreturn await tools.data({ i: a.n })",
    "const found = await searchTools('x', { limit: 2 });\nreturn (await ctx.executeTool(found[0].name, {})).result.content[0].text",
    "return (await models.getAvailableOfType('chat')).map((m) => m.id)",
    "const text = await tools.my_tool({}); return text.split('\\n')",
    "const args = { i: 1 }; return tools.data(args)",
    "throw Object.assign(new Error('x'), { code: 1 })",
    "try { null.x } catch (e) { return e.message }",
    // What a script puts in the place of `tools` is not what was declared.
    "tools = { ...tools, mine: (a) => a }; return [tools.mine(1), await tools.data({ i: 1 })]",
    "var tools = tools || {}; var console = console || {}; return tools.whatever",
  ])("%s", async (code) => {
    expect(await check(code)).toEqual({ kind: "clean" });
  });

  test("every declaration type-checks by itself, strictly, whatever the tools are called", async () => {
    // hostile 17
    const world = renderDeclarationFile(tools);
    const samples = nameTools(tools.map(({ name }) => name)).tools.map(({ identifier }, index) => {
      const tool = tools[index];
      return tool === undefined
        ? ""
        : (/```ts\n([^]*)\n```$/.exec(renderSample(tool, identifier))?.[1] ?? "no sample");
    });
    const cwd = await mkdtemp(join(folder, "samples-"));
    try {
      await writeFile(join(cwd, "world.d.ts"), world);
      // Each sample is a module, so that its names are its own.
      const files = await Promise.all(
        samples.map(async (sample, index) => {
          await writeFile(join(cwd, `sample${index}.ts`), `${sample}\nexport {};\n`);
          return `sample${index}.ts`;
        }),
      );
      const flags = [
        "--ignoreConfig",
        "--noEmit",
        "--strict",
        "--target",
        "esnext",
        "--lib",
        "esnext",
        "--types",
        "",
        "--pretty",
        "false",
      ];
      const compiler = createRequire(import.meta.url)
        .resolve("typescript/package.json")
        .replace("package.json", "bin/tsc");
      const run = (...names: string[]) =>
        runCommand(process.execPath, [compiler, ...flags, ...names], { cwd });
      expect((await run("world.d.ts")).output).toBe("");
      expect((await run(...files)).output).toBe("");
    } finally {
      await rm(cwd, { recursive: true });
    }
  });
});

describe("no verdict", () => {
  test("out of time", async () => {
    const quick = createScriptChecker({ folder, timeoutMs: 1 });
    expect(await quick.check({ code: "return 1", tools })).toEqual({
      kind: "not-checked",
      reason: "checking took longer than 1 ms",
    });
  });

  test("a script that cannot be read", async () => {
    expect(await check("const b = ;")).toMatchObject({ kind: "not-checked" });
  });

  test("a script that is too long", async () => {
    expect(await check(`// ${"x".repeat(200_001)}`)).toMatchObject({
      kind: "not-checked",
      reason: expect.stringContaining("longer"),
    });
  });

  test("no compiler", async () => {
    const none = createScriptChecker({ compilerPath: join(folder, "missing") });
    expect(await none.check({ code: "return 1", tools })).toMatchObject({ kind: "not-checked" });
  });

  test("an aborted check", async () => {
    const outcome = await checker.check({ code: "return 1", tools, signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ kind: "not-checked" });
  });
});

test("nothing that a script refers to is read", async () => {
  const code =
    '/// <reference path="/etc/passwd" />\nimport data from "/etc/hostname";\nconst n: number = 1;';
  const outcome = await check(code);
  expect(JSON.stringify(outcome)).not.toContain("root:");
});

test("no file is left behind", async () => {
  expect(await readdir(folder)).toEqual([]);
});

test("findings are told with their line and a caret", () => {
  const text = diagnosticsText([
    { line: 2, column: 3, message: "Wrong.", lineText: "\tab" },
    { line: 3, column: 500, message: "Far.", lineText: "x".repeat(600) },
  ]);
  expect(text).toBe(
    "The script was not run: checking it against the tools' declarations found 2 mistakes.\n\ncodemode.js:2:3: Wrong.\n\tab\n\t ^\n\ncodemode.js:3:500: Far.",
  );
});
