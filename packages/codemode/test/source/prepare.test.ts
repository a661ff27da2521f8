import { stripTypeScriptTypes } from "node:module";
import { Script } from "node:vm";
import { describe, expect, test } from "vitest";
import { isRecord } from "../../src/shared/guards.ts";
import { isTooComplex } from "../../src/source/complexity.ts";
import { type PreparedScript, prepareSource } from "../../src/source/prepare.ts";

const strip = (source: string): string => stripTypeScriptTypes(source);

function prepared(code: string): PreparedScript {
  const outcome = prepareSource(code, { strip });
  if (!outcome.ok)
    throw new Error(`${outcome.error.name}: ${outcome.error.message} (line ${outcome.error.line})`);
  return outcome;
}

function failure(code: string) {
  const outcome = prepareSource(code, { strip });
  if (outcome.ok) throw new Error(`expected an error, got ${outcome.program}`);
  return outcome.error;
}

/** Compiles the program as a runtime does and runs it on a bare realm. */
async function execute(script: PreparedScript, globals: Record<string, unknown> = {}): Promise<unknown> {
  const { program, lineOffset } = script;
  const fn: unknown = new Script(program, { filename: "codemode.js", lineOffset }).runInNewContext(globals);
  if (typeof fn !== "function") throw new Error("the program is not a function");
  return await fn();
}

async function run(code: string, globals?: Record<string, unknown>): Promise<unknown> {
  const value = await execute(prepared(code), globals);
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** Where the engine says that a script threw. */
async function thrownAt(code: string): Promise<{ line: number; column: number; message: string }> {
  const outcome = prepared(code);
  try {
    await execute(outcome);
  } catch (error) {
    const { message, stack } = isRecord(error) ? error : {};
    const [, line, column] = /codemode\.js:(\d+):(\d+)/.exec(String(stack)) ?? [];
    const shift = outcome.shifts.find(
      (entry) => entry.line === Number(line) && entry.column <= Number(column),
    );
    return { line: Number(line), column: Number(column) - (shift?.by ?? 0), message: String(message) };
  }
  throw new Error("the script did not throw");
}

describe("TypeScript", () => {
  test("types are removed", async () => {
    // contract D, S1
    expect(await run("const x: number = 1; return x")).toBe(1);
    expect(prepared("const x: number = 1; return x").language).toBe("typescript");
  });

  test("generics, interfaces and casts run, and the places of errors do not move", async () => {
    // S2
    const head = "interface A { n: number }\nconst f = <U,>(u: U): U => u;\nconst a = { n: 2 } as A;\n";
    expect(await run(`${head}return f<number>(a.n)`)).toBe(2);
    expect(await thrownAt(`${head}const v: string = "x"; throw new Error(v)`)).toEqual({
      line: 4,
      column: 30,
      message: "x",
    });
  });

  test("what is valid JavaScript is never read as TypeScript", async () => {
    // R6: a regular expression that strips types breaks a ternary
    expect(await run("const f = 1, number = 2, x = 3; return f<number>(x)")).toBe(false);
    expect(await run("const a = true, b = 1, c = 2; return a ? b : c")).toBe(1);
    expect(prepared("return f<number>(x)").language).toBe("javascript");
  });

  test.each([
    ["enum A { X = 1 }\nreturn A.X", "enum", "constant object"],
    ["const enum A { X = 1 }\nreturn A.X", "enum", "constant object"],
    ["namespace N { export const x = 1 }\nreturn N.x", "namespace", "constant object"],
    ["class A { constructor(private x: number) {} }\nreturn 1", "parameter property", "constructor"],
  ])("syntax that cannot be removed is named together with the way out: %s", (code, name, way) => {
    // S3
    const error = failure(code);
    expect(error).toMatchObject({ name: "SyntaxError", line: 1 });
    expect(error.message).toContain(name);
    expect(error.message).toContain(way);
  });

  test("a mistake in a TypeScript script is told where it is, not at its first type", () => {
    const error = failure("const a: number = 1;\nconst b: string = ;");
    expect(error).toMatchObject({ name: "SyntaxError", line: 2, lineText: "const b: string = ;" });
  });

  test("without a stripper TypeScript is a syntax error at its first type", () => {
    expect(prepareSource("const x: number = 1")).toMatchObject({
      ok: false,
      error: { name: "SyntaxError", line: 1, column: 8, message: "Unexpected token ':'" },
    });
  });

  test("type-only imports vanish, default exports are typed", async () => {
    const code =
      'import type { A } from "a";\nexport default async function (x: number): Promise<number> { return 4 }';
    expect(await run(code)).toBe(4);
  });

  test("a stripper that breaks is no answer: its process has to end", () => {
    const broken = (): string => {
      throw Object.assign(new Error("memory access out of bounds"), { code: "ERR_INTERNAL_ASSERTION" });
    };
    expect(() => prepareSource("let x: number = 1", { strip: broken })).toThrow(
      "memory access out of bounds",
    );
    expect(prepareSource("let x = 1", { strip: broken })).toMatchObject({ ok: true });
  });

  test.each([
    ["brackets", "[".repeat(100_000)],
    ["negations", `${"!".repeat(20_000)}1`],
    ["negations on lines", `${"!\n".repeat(20_000)}1`],
    ["words", `${"typeof ".repeat(20_000)}1`],
    ["arrows", `${"a=>".repeat(5_000)}1`],
    ["conditions", `${"a?b:".repeat(20_000)}1`],
    ["assignments", `${"a=".repeat(20_000)}1`],
    ["a sum", `${"1+".repeat(20_000)}1`],
    ["placeholders", "`${".repeat(1_000)],
    ["type arguments", `0; type A = ${"A<b,".repeat(20_000)}`],
    ["branches", `0; ${"if(x){}else ".repeat(20_000)}{}`],
    ["members", `a${".b".repeat(20_000)}`],
    ["templates that are tags", "`` ".repeat(3_000)],
    ["templates with comments between", "`a`/* b */".repeat(3_000)],
    ["open comments", `${"!".repeat(20_000)}1 ${"/*".repeat(300_000)}`],
  ])("what nests too deeply never reaches the stripper: %s", (_, text) => {
    // hostile 27
    let asked = 0;
    const outcome = prepareSource(`const x: number = ${text}`, { strip: (source) => (asked++, source) });
    expect(outcome).toMatchObject({ ok: false, error: { name: "RangeError" } });
    expect(asked).toBe(0);
  });

  test.each([
    ["a comment", "/*", "Unterminated comment"],
    ["a template", "`", "Unterminated template"],
    ["a string", "'", "Unterminated string constant"],
    ["a string of escapes", `"${"\\\\".repeat(10)}`, "Unterminated string constant"],
  ])("what was not closed is told, however long it is: %s", (_, open, message) => {
    const error = failure(`return 1;\n${open}${" a".repeat(100_000)}`);
    expect(error).toMatchObject({ name: "SyntaxError", line: 2, message });
  });

  test.each([
    ["a comment", "/*", ""],
    ["a template", "`", "`"],
    ["a string", "'", "'"],
    ["a string of escapes", '"', '"'],
  ])("a literal takes no memory for each of its characters: %s", (_, open, close) => {
    expect(isTooComplex(open + "\\a".repeat(6_000_000) + close)).toBe(false);
  });

  test("quotes that nothing closes are looked for once in a line", () => {
    const line = `"${'\\"'.repeat(200_000)} '${"\\'".repeat(200_000)}\n`;
    expect(isTooComplex(line + "!".repeat(10_000))).toBe(true);
  });

  test("long TypeScript does reach it", () => {
    const data = `const rows: string[] = [\n${'  "a ? b : c => d === e && !f", // ===========\n'.repeat(3_000)}];\n`;
    const code = Array.from(
      { length: 400 },
      (_, i) => `const v${i}: number = b.c.d(1 + 2) ?? (e ? f : g)\n`,
    ).join("");
    expect(prepared(`${data}${code}return 1`).language).toBe("typescript");
  });

  test("a list is as deep as its deepest element, however long it is", () => {
    const rows = '  { id: 1, name: "a", at: -1, tags: [-1, 2 * 3], ok: !0 ? a => b : c => d },\n'.repeat(
      5_000,
    );
    const code = `const rows: { id: number }[] = [\n${rows}];\nreturn rows.length`;
    expect(isTooComplex(code)).toBe(false);
    expect(prepared(code).language).toBe("typescript");
  });

  test.each([
    ["lists of types", `type X = ${"A<x, ".repeat(5_000)}x${">".repeat(5_000)}`],
    ["operators around lists", `${`${"!".repeat(1_900)}f(a, `.repeat(200)}1${")".repeat(200)}`],
    ["operators around brackets", `x = ${"(1, 2) + ".repeat(5_000)}1`],
    ["operators around what ends in brackets", `${"- ".repeat(1_990)}(() => { a; `.repeat(200)],
  ])("commas and closed brackets hide nothing: %s", (_, code) => {
    expect(isTooComplex(code)).toBe(true);
  });
});

describe("Markdown fences", () => {
  // S4
  const code = "const a = 1;\nreturn a + 1";
  test.each([
    ["with a language", `\`\`\`js\n${code}\n\`\`\``],
    ["without a language", `\`\`\`\n${code}\n\`\`\``],
    ["with tildes", `~~~javascript\n${code}\n~~~`],
    ["with prose before", `Here is the script:\n\n\`\`\`js\n${code}\n\`\`\`\n`],
    ["with one word before", `Script:\n\`\`\`js\n${code}\n\`\`\``],
    ["with prose after", `\`\`\`js\n${code}\n\`\`\`\nThis adds one.`],
    ["never closed", `\`\`\`js\n${code}`],
    ["with Windows line ends", `\`\`\`js\r\n${code.replaceAll("\n", "\r\n")}\r\n\`\`\`\r\n`],
    ["beside a block of output", `\`\`\`js\n${code}\n\`\`\`\nOutput:\n\`\`\`json\n{"a":1}\n\`\`\``],
    ["with a longer fence", `\`\`\`\`js\n${code}\n\`\`\`\``],
  ])("the fenced code runs: %s", async (_, source) => {
    expect(await run(source)).toBe(2);
  });

  test("TypeScript and templates run inside a fence", async () => {
    expect(await run("```ts\nconst a: number = 1;\nreturn `${a}`\n```")).toBe("1");
  });

  test("lines and columns are those of the whole input", async () => {
    const source = 'Look:\n\n```js\nconst a = 1;\n  throw new Error("x")\n```';
    expect(await thrownAt(source)).toEqual({ line: 5, column: 9, message: "x" });
    expect(failure("Look:\n```js\nconst b = ;\n```")).toMatchObject({ line: 3, lineText: "const b = ;" });
  });

  test("a fence inside a template or a comment is left alone", async () => {
    expect(await run("const md = `\n\\`\\`\\`js\nx\n\\`\\`\\`\n`;\nreturn md.length")).toBe(13);
    expect(await run("/*\n```js\nreturn 1\n```\n*/\nreturn 2")).toBe(2);
    expect(await run("const n: number = 2; /*\n```js\nreturn 1\n```\n*/\nreturn n")).toBe(2);
  });

  test("a fence inside a fence is opened, and many more are refused without reading each of them", async () => {
    expect(await run("````\n```js\nreturn 4\n```\n````")).toBe(4);
    for (const lines of [20, 2_000]) {
      let strips = 0;
      const outcome = prepareSource("```js\n".repeat(lines), {
        strip(source) {
          strips++;
          return strip(source);
        },
      });
      expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining("fences") } });
      expect(strips).toBeLessThan(10);
    }
  });

  test("a text of fences that parses is never handed to what removes types", () => {
    const outcome = prepareSource("```\n".repeat(6_000), {
      strip() {
        throw new Error("asked");
      },
    });
    expect(outcome).toMatchObject({ ok: false, error: { name: "SyntaxError" } });
  });

  test("two fenced scripts are refused before anything runs", () => {
    const error = failure("First:\n```js\nreturn 1\n```\nThen:\n```js\nreturn 2\n```");
    expect(error.message).toBe("The input holds 2 fenced scripts; send one script, without fences");
  });
});

describe("results", () => {
  test.each([
    ["const a = 1;\na + 1", 2],
    ["1 + 1", 2],
    ["const a = 1; a + 1", 2],
    ["const a = 1 // one\na + 1 // two", 2],
    ["const a = 1\n;(a, a + 1)", 2],
    ["await Promise.resolve(2);", 2],
    ["2 // c\n;", 2],
    ["{ a: 2, b: [1] }", { a: 2, b: [1] }],
    ["/* x */ { a: 2, 'b': 1 }", { a: 2, b: 1 }],
    ["async function main() { return 2 }\nmain()", 2],
    ["`two`", "two"],
    ['"two"', "two"],
    ["const a = 1\nconst b = [a]\nb", [1]],
    ["if (true) { }\n2", 2],
    ["function f() { return 2 }\nf()", 2],
  ])("a trailing expression is the value: %s", async (code, value) => {
    // S5
    expect(prepared(code).trailing).toBe(true);
    expect(await run(code)).toEqual(value);
  });

  test.each([
    "return 1",
    "if (false) return 1\n2",
    "for (const a of [1]) { if (a) { return 1 } }\n2",
    "let a; a = 5",
    "let i = 0; i++",
    "const o = { a: 1 }; delete o.a",
    "void 0",
    "const a = 1",
    "if (true) { 1 }",
    '"use strict"',
    "",
    "// nothing",
  ])("statements that only act give no value: %s", (code) => {
    expect(prepared(code).trailing).toBe(false);
  });

  test("a return inside a function is not the script's", () => {
    expect(prepared("const f = () => { return 1 };\nf()").trailing).toBe(true);
  });

  test.each([
    ["async () => { return 2 }", 2],
    ["async () => {\n  const a = 1;\n  return a + 1;\n};", 2],
    ["async function () { return 2 }", 2],
    ["(async function run() { return 2 })", 2],
    ["async ({ tools, text }) => tools.n + text", 3],
    ["async (tools) => tools.n + 1", 2],
    ["async (x: number) => 2", 2],
    ["async function main() { return 2 }", 2],
    ["const one = () => 1;\nasync function main() { return one() + 1 }", 2],
    ["const main = async () => 2;", 2],
  ])("a function that is the whole script is called: %s", async (code, value) => {
    // R6
    expect(await run(code, { tools: { n: 1 }, text: 2 })).toEqual(value);
    expect(prepared(code).trailing).toBe(false);
    expect(prepared(code).notes).toHaveLength(1);
  });

  test.each([
    ["(async () => { return 2 })()", 2],
    ["await (async () => { return 2 })();", 2],
    ["(() => 2)()", 2],
    ["void (async () => { globalThis.n = 1 })()", undefined],
  ])("an immediately called function gives its value: %s", async (code, value) => {
    expect(await run(code)).toEqual(value);
  });

  test.each([
    "async function main() { ran() }\nconst result = await main();",
    "const save = async () => { ran() };\nconst first = await save();",
    "const save = async (n) => { ran(n) };\nconst all = await Promise.all([1].map(save));",
    "function run() { ran() }\nconst tasks = { run };\nlet first = tasks.run();",
    "function run() { ran() }\nfunction again() { run() }\nconst x = again();",
    "export async function main() { ran() }\nconst result = await main();",
    "export default async function main() { ran() }\nawait main();",
    "const main = async () => { ran() };\nawait main();\nexport default main;",
    "async function main() { ran() }\nmain();\nexport default main;",
    "const twice = (n) => n < 1 ? ran() : twice(n - 1);\nconst x = twice(3);",
  ])("a function that the script calls itself is not called again: %s", async (code) => {
    // contract D
    let calls = 0;
    await run(code, { ran: () => void calls++ });
    expect(calls).toBe(1);
    expect(prepared(code).notes).toEqual([]);
  });

  test.each([
    ["const remove = async (path) => { ran(path) }", 0],
    ["function remove({ path }, ...rest) { ran(path) }", 0],
    ["const remove = async (path = 'a') => { ran(path) }", 1],
    ["const twice = (text) => ran(text)", 1],
    ["async function main(args) { ran() }", 1],
    ["const main = async (n = 0) => { ran(); if (n < 1) await main(n + 1) }", 2],
  ])("a helper that asks for values is left alone, as in the built-in codemode: %s", async (code, times) => {
    let calls = 0;
    await run(code, { ran: () => void calls++, text: 1 });
    expect(calls).toBe(times);
  });

  test("several functions without an entry are only declared", () => {
    expect(prepared("function a() {}\nfunction b() {}").notes).toEqual([]);
  });

  test.each([
    ["export default async function main() { return 2 }", 2],
    ["export default async function () { return 2 }", 2],
    ["export default async () => 2", 2],
    ["export default async () => 2;", 2],
    ["export default 2", 2],
    ["const main = async () => 2;\nexport default main;", 2],
    ["const main = async (n = 1) => n < 1 ? 2 : await main(n - 1);\nexport default main;", 2],
    ["async function main() { return 2 }\nexport default main;", 2],
    ["export default async function main() { return 2 }\nawait main()", 2],
    ["export const a = 1;\nexport default a + 1;", 2],
    ["export default async ({ tools }) => { return tools.n + 1 }", 2],
    ["export default function () { return one() }\nfunction one() { return 2 }", 2],
    ["const a = 1;\nexport { a };\na + 1", 2],
    ["export async function main() { return 2 }", 2],
    ["export class A {}\nreturn 2", 2],
  ])("a module is a script: %s", async (code, value) => {
    // R6
    expect(await run(code, { tools: { n: 1 } })).toEqual(value);
  });

  test("columns stay where forms are rewritten", async () => {
    expect(await thrownAt('export default async () => { throw new Error("x") }')).toMatchObject({
      line: 1,
      column: 36,
    });
    expect(await thrownAt("const a = 1;\nmissing.x")).toMatchObject({ line: 2, column: 1 });
    expect(await thrownAt("missing.x")).toMatchObject({ line: 1, column: 1 });
    expect(await thrownAt("const a = 1; missing.x")).toMatchObject({ line: 1, column: 14 });
    expect(await thrownAt("const a = 1; const b: number = 1; missing.x")).toMatchObject({
      line: 1,
      column: 35,
    });
  });
});

describe("modules", () => {
  test.each([
    'import fs from "node:fs";\nreturn 1',
    'import { a } from "a"',
    'const a: number = 1;\nimport fs from "fs";',
    'export * from "a"',
    'export { a } from "a"',
  ])("importing is refused by saying what there is instead: %s", (code) => {
    // R8: no filter, the capability is absent
    const error = failure(code);
    expect(error.name).toBe("SyntaxError");
    expect(error.message).toContain("await tools.<name>(args)");
    expect(error.line).toBe(code.startsWith("const") ? 2 : 1);
  });

  test("words that only look like imports run", async () => {
    expect(await run('const api = { import: () => 2 };\nreturn api.import("fs")')).toBe(2);
    expect(await run('return "import fs from \\"fs\\""')).toContain("import");
  });
});

describe("the wrapper cannot be left", () => {
  test.each([
    ["return 1 })(); globalThis.__broke = 1; (async () => { return 2", 1],
    ["const a: number = 1; return 1 })(); globalThis.__broke = 1; (async () => { return 2", 1],
    ["return 1 }); (() => {", 1],
    ["return 1\n}\n{", 2],
    ["return `${", 1],
    ['return "abc', 1],
    ["/* never closed", 1],
    ["return 1 */", 1],
  ])("text that does not balance is an error in its own line: %s", (code, line) => {
    // S6, hostile 5
    const realm = {} as { __broke?: number };
    const error = failure(code);
    expect(error).toMatchObject({ name: "SyntaxError", line });
    expect(realm.__broke).toBeUndefined();
  });

  test.each([
    ["return `a${1}b` // `", "a1b"],
    ["#!/usr/bin/env node\nreturn 2", 2],
    ["<!-- html\nreturn 2\n--> more", 2],
    ["return 2 // trailing", 2],
    ["return '\u2028'.length", 1],
    ["return 2 /* ` ${ */", 2],
    ["return String.raw`\\a`.length", 2],
    ["return 2 //\u2028", 2],
  ])("what is legal runs: %s", async (code, value) => {
    // hostile 5, R7
    expect(await run(code)).toBe(value);
  });

  test("the body is sloppy, as in the built-in codemode, and can be strict", async () => {
    expect(await run("undeclared = 2; return undeclared")).toBe(2);
    expect(await thrownAt('"use strict"; undeclared = 2; return 1')).toMatchObject({ line: 1 });
    expect(await run("return (function () { return typeof this })()")).toBe("object");
  });

  test.each(["ctx", "tools", "text", "store", "console", "models", "require", "_d", "exports"])(
    "a script may declare %s itself",
    async (name) => {
      // contract D
      expect(await run(`const ${name} = 2; return ${name}`, { tools: 1, text: 1 })).toBe(2);
    },
  );
});

describe("names that the built-in codemode hands over as parameters", () => {
  // contract D
  const globals = () => ({ tools: { n: 1 }, console: { n: 2 } });

  test.each([
    ["var tools = tools || {}; return tools.n", 1],
    ['"use strict";\nvar tools = tools || {}; return tools.n', 1],
    ['"use strict"; tools = 3; return tools', 3],
    ["if (true) { var { tools = 3 } = {} } return tools", 3],
    ["tools = { ...tools, m: 4 }; return tools", { n: 1, m: 4 }],
    ["[tools, console] = [5, 6]; return [tools, console]", [5, 6]],
    ["for (tools of [7, 8]); return tools", 8],
    ["function f() { tools = 9 }\nf(); return [tools, globalThis.tools.n]", [9, 1]],
    ["tools ??= 1; return tools.n", 1],
    ["console &&= { n: 4 }; return console.n", 4],
  ])("keep their value or take the script's: %s", async (code, value) => {
    expect(await run(code, globals())).toEqual(value);
    expect(prepared(code).program).toMatch(
      /^\(async \(\) => \{(?:"use strict";)?var (?:tools|console)=globalThis/,
    );
  });

  test.each([
    ["export default async () => { const n = tools.n; return n }", 1],
    ["var a = 1, b = tools.n; return a + b", 2],
    ["const f = (tools) => { tools = 2; return tools }; return f(1)", 2],
    ["function f() { var tools = 3; return tools }\nreturn f()", 3],
    ["{ let console = 1; console = 4 } return console.n", 2],
    ["function tools() { return 5 }\nreturn tools()", 5],
    ["let tools = 1; tools = 6; return tools", 6],
    ["const a = { tools: 7 }; a.tools = 8; return a.tools", 8],
    ["// tools = 1\nreturn 'var tools = 2'", "var tools = 2"],
    ["try { throw 1 } catch (tools) { tools = 9; return tools }", 9],
    ["for (let tools = 0; tools < 2; tools++); return tools.n", 1],
    ["return tools.n === 1 && tools == tools", true],
  ])("are left alone where the script means something else: %s", async (code, value) => {
    expect(await run(code, globals())).toEqual(value);
    expect(prepared(code).program).toMatch(/^\(async \(\) => \{(?!(?:"use strict";)?var (?:tools|console)=)/);
  });
});

describe("errors", () => {
  test.each([
    "//# sourceURL=evil.js\nconst a = 1;\nthrow new Error('boom')",
    "const a = 1;\n//@ sourceURL=evil.js\nthrow new Error('boom') //# sourceMappingURL=data:,x",
    "const a: number = 1;\n//# sourceURL=evil.js\nthrow new Error('boom')",
    "```js\n//# sourceURL=evil.js\nthrow new Error('boom')\n```",
    "const a = 1, b = '//# sourceURL=kept.js';\nif (b.length !== 21) throw 1;\nthrow new Error('boom')\n//#\tsourceURL=evil.js",
  ])("a comment that names another file takes nothing from an error's place: %j", async (code) => {
    expect(await thrownAt(code)).toMatchObject({ line: 3, message: "boom" });
  });

  test("a syntax error has the line, the column and the text of the line", () => {
    // S14, R9
    expect(failure("const a = 1;\nconst b = ;")).toEqual({
      name: "SyntaxError",
      message: "Unexpected token ';'",
      line: 2,
      column: 11,
      lineText: "const b = ;",
    });
    expect(failure("return {")).toMatchObject({
      message: "Unexpected end of input: nothing closes the `{` on line 1",
      line: 1,
    });
    expect(failure("let a; let a;").message).toContain("'a'");
  });

  test.each([
    ["a string in single quotes", "text('one", "Unterminated string constant"],
    ["a string in double quotes", 'text("one', "Unterminated string constant"],
    ["a string in a template", "text(`${'one", "Unterminated string constant"],
    ["a string in a script with types", "const b: string = f('one", "Unterminated string constant"],
    [
      "a string behind types",
      "type B = 'b'; const it = { a: `'`, b: /'/ }; text(\"one",
      "Unterminated string constant",
    ],
    ["a throw without a value", "throw", "Illegal newline after throw"],
    ["a try alone", "try { a }", "Missing catch or finally clause"],
  ])("a syntax error is told on its line, not where the stripper noticed: %s", (_, line, message) => {
    for (const rest of ["two');\nreturn a;", "const b = 2;\ntext(b);", "// it's fine\nreturn [1]"]) {
      expect(failure(`const a = 1;\n${line}\n${rest}`)).toMatchObject({ line: 2, lineText: line, message });
    }
  });

  test("a thrown error has the script's own line", async () => {
    // S13
    expect(await thrownAt('const a = 1;\nconst b = 2;\nthrow new Error("boom")')).toEqual({
      line: 3,
      column: 7,
      message: "boom",
    });
  });

  test("a very long line is shown in part", () => {
    const error = failure(`const a = "${"x".repeat(5000)}" ;;; )`);
    expect(error.lineText?.length).toBeLessThanOrEqual(201);
  });

  test.each([
    ["brackets", "[".repeat(200_000)],
    ["balanced brackets", `return ${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["braces", "{".repeat(100_000)],
    ["templates", "`${".repeat(50_000)],
    ["functions", "()=>".repeat(50_000)],
    ["negations", `return ${"!".repeat(100_000)}1`],
    ["a sum", `return ${"1+".repeat(100_000)}1`],
    ["conditions", `return ${"a?b:".repeat(50_000)}c`],
  ])("a source that is nested too deeply is an error, never a crash: %s", (_, code) => {
    // hostile 27
    const outcome = prepareSource(code, { strip });
    expect(outcome).toMatchObject({ ok: false, error: { name: "RangeError" } });
    // The stripper still works for the next script.
    expect(prepared("const x: number = 1; return x").language).toBe("typescript");
  });
});

test.each(["\u2028", "\u2029", "\r"])(
  "a comment behind an expression ends where the language says: %j",
  (end) => {
    // S6, hostile 5
    const code = `{ a: 1, b: 2 } //${end}}); globalThis.__broke = 1; (async () => {`;
    expect(prepareSource(code, { strip })).toMatchObject({ ok: false, error: { name: "SyntaxError" } });
  },
);
