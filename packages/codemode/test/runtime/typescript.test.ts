import { describe, expect, test } from "vitest";
import { harness } from "./harness.ts";

const { run, value } = harness({ maxProcesses: 1 });

describe("TypeScript with the words of modules", () => {
  // S3
  test.each([
    ["import type { X } from 'y';\nreturn 1 as X", 1],
    ["import { type X, type Y as Z, } from 'y';\nimport type * as Q from \"q\"\nreturn 2 as X", 2],
    ["export type T = number;\nreturn 3 as T", 3],
    ["export type { T } from 'y';\nconst a: number = 4;\nexport { a };\nreturn a", 4],
    [
      "export interface A { x: number }\nexport abstract class C {}\nexport const b: number = 5;\nreturn b",
      5,
    ],
    ["export async function f(): Promise<number> { return 6 }\nreturn await f()", 6],
    ["const s = `\nexport const x = 1`; export type T = 1; return s as T", "\nexport const x = 1"],
    ["\tconst s = '日本😀';\r\n\texport type T = string;\r\n\treturn s as T", "日本😀"],
  ])("runs also where the script returns: %s", async (code, expected) => {
    expect(await value(code)).toEqual(expected);
  });

  test.each([
    ["import fs from 'fs';\nconst a: string = fs.read('a');\nreturn a", "import", 1, 1],
    ["import 'x';\nreturn 1 as number", "import", 1, 1],
    ["import type { X } from 'y'; import { a, type B } from 'z';\nreturn a as B", "import", 1, 29],
    ["const a: number = 1;\n  import type from 'x';\nreturn a", "import", 2, 3],
    ["import fs = require('fs');\nreturn fs as number", "import", 1, 1],
    ["'日本'; export * from 'x';\nreturn 1 as number", "export", 1, 7],
    ["export { a } from 'x';\nreturn a as number", "export", 1, 1],
  ])("what would load something is answered: %s", async (code, word, line, column) => {
    const message = expect.stringContaining(`A script cannot ${word}: there are no modules here`);
    expect(await run(code)).toMatchObject({ ok: false, error: { message, line, column } });
  });

  test("a hundred of them are read a bounded number of times", async () => {
    const code = `${"export type T = 1;\n".repeat(100)}return 1 as T`;
    expect(await run(code)).toMatchObject({ ok: false, error: { name: "SyntaxError" } });
  });

  test("an enum behind an export is told with the way out", async () => {
    const message = expect.stringContaining("use a constant object instead");
    expect(await run("export enum E { A }\nreturn 1")).toMatchObject({ ok: false, error: { message } });
  });
});

describe("a mistake in TypeScript is told where it is", () => {
  test.each([
    ["const x: number = ; return x", 19, "Expression expected"],
    ["return tools.echo({ a: 1 as number, b: })", 40, "Expression expected"],
    ["import type X from 'y'; const a: number = ; return a", 43, "Expression expected"],
    ["\tconst x: number = ;", 20, "Expression expected"],
    ["const s = '日本😀\t'; const x: number = ;", 38, "Expression expected"],
    ["const a = '\u3000é'; class A { constructor(private x: number) {} }", 47, "parameter property"],
    ["return 1 })(); (async () => { return 2", 10, "Unexpected token '}'"],
    ["const x: number = 1; 😀", 22, "Unexpected character '😀'"],
  ])("to the column: %s", async (code, column, message) => {
    expect(await run(code)).toMatchObject({
      ok: false,
      error: { name: "SyntaxError", line: 1, column, message: expect.stringContaining(message) },
    });
  });
});
