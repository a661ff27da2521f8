import { stripTypeScriptTypes } from "node:module";
import { parse } from "acorn";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { prepareSource } from "../../src/source/prepare.ts";

const strip = (source: string): string => stripTypeScriptTypes(source);

/** Pieces from which scripts, and attempts to get out of a wrapper, are made. */
const PIECES = [
  "return 1",
  "return",
  "const a = 1",
  "let b: number = 2",
  "a + 1",
  "a",
  ";",
  "\n",
  "\r\n",
  " ",
  "}",
  "{",
  ")",
  "(",
  "})()",
  "(async () => {",
  "function f() {",
  "}",
  "async function main() { return 1 }",
  "export default ",
  "export ",
  "export { a }",
  "import x from 'y'",
  "import(",
  "class A {",
  "enum E { X }",
  "`",
  "${",
  "'",
  '"',
  "//",
  "/*",
  "*/",
  "-->",
  "<!--",
  "#!",
  "\u2028",
  "\\",
  "```js\n",
  "\n```",
  "~~~",
  "await ",
  "yield",
  "/",
  "[",
  "]",
  ",",
  "=>",
  "async () => ",
  "interface I {}",
  " as number",
  "<T>",
  "x: ",
  "if (a) ",
  "else ",
  "label: ",
  "_d",
  "var _d=",
  "'use strict'",
  "0",
  "?",
  ":",
  "...",
  "=",
  "super",
  "new.target",
  "this",
  "arguments",
];

const source = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(""));

test("whatever the source, what comes out is one async arrow function, or an error", () => {
  // S6, hostile 5
  let programs = 0;
  fc.assert(
    fc.property(source, (code) => {
      const outcome = prepareSource(code, { strip });
      if (!outcome.ok) return typeof outcome.error.message === "string";
      programs++;
      const { body } = parse(outcome.program, { ecmaVersion: "latest", sourceType: "script" });
      const [statement] = body;
      const fn = statement?.type === "ExpressionStatement" ? statement.expression : undefined;
      return (
        body.length === 1 &&
        fn?.type === "ArrowFunctionExpression" &&
        fn.async &&
        fn.end === outcome.program.length - 1
      );
    }),
    { numRuns: 6_000, seed: 26_07_26 },
  );
  // The generator does make programs, not only errors.
  expect(programs).toBeGreaterThan(300);
});

test("lines stay where they are", () => {
  const property = fc.property(source, (code) => {
    const outcome = prepareSource(code, { strip });
    if (!outcome.ok || outcome.notes.some((note) => note.includes("fence"))) return true;
    const breaks = /\r\n|[\n\r\u2028\u2029]/g;
    // One line of ours before the script and the break behind it.
    return (outcome.program.match(breaks) ?? []).length === (code.match(breaks) ?? []).length + 2;
  });
  expect(fc.check(property, { numRuns: 2_000, seed: 26_07_27 })).toMatchObject({ failed: false });
});

test("a script that renames or keeps `tools` is still one function, and its own strictness counts", () => {
  for (const code of [
    "var tools = tools; return tools",
    "console = {}; return 1",
    '"use strict"; var tools = 1; return tools',
    "const tools = 1; tools ?? 2",
    "let console = {}; console = 1",
    `${"var a,".repeat(50_000)} b`,
  ]) {
    const outcome = prepareSource(code, { strip });
    if (!outcome.ok) continue;
    expect(() => parse(outcome.program, { ecmaVersion: "latest", sourceType: "script" })).not.toThrow();
  }
  expect(prepareSource("switch (1) { case 1: using a = null }")).toMatchObject({ ok: false });
});
