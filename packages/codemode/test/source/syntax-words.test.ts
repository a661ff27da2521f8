import { stripTypeScriptTypes } from "node:module";
import { describe, expect, test } from "vitest";
import { prepareSource } from "../../src/source/prepare.ts";
import type { SourceError } from "../../src/source/source-error.ts";

function failure(code: string): SourceError {
  const outcome = prepareSource(code, { strip: (source) => stripTypeScriptTypes(source) });
  if (outcome.ok) throw new Error(`expected an error, got ${outcome.program}`);
  return outcome.error;
}

// S14, R9
describe("a syntax error says what to change, at the place where it is", () => {
  const AWAIT = /^`await` is only allowed in an async function: write `async` in front/;
  const DECORATOR = /^Decorators are not supported/;
  const JSX = /^JSX is not supported/;
  const ESCAPED = /^Unexpected '\\': the script came escaped twice/;
  test.each<[what: string, code: string, place: string, message: RegExp]>([
    ["await in a function", "function f(n) {\n  const r = await tools.get({ n });\n}", "2:13", AWAIT],
    ["await in an arrow", "[1].map((n) => await tools.get({ n }))", "1:16", AWAIT],
    ["await in a method", "class A { m() { await x; } }", "1:17", AWAIT],
    ["await in a loop", "function f() { for await (const x of y) {} }", "1:20", AWAIT],
    ["await in TypeScript", "const f = (n: number): any => await tools.get({ n });", "1:31", AWAIT],
    ["a class's decorator", "const a = 1;\n@sealed\nclass A {}", "2:1", DECORATOR],
    ["a member's decorator", "class A {\n  @log greet(): string { return 'a'; }\n}", "2:3", DECORATOR],
    ["an element", "const el = <div>{x}</div>;", "1:12", JSX],
    ["an element with a name", 'return <div className="a">x</div>', "1:8", JSX],
    ["an element without an end", "const a = 1;\nconst f = () => (<Foo b={1} c='d'/>);", "2:18", JSX],
    ["elements without one around them", "return (\n  <>\n    <Header title='a' />\n  </>\n);", "2:3", JSX],
    ["a tag around everything", "<code>\nreturn 5;\n</code>", "1:1", /inside of a <code> tag/],
    ["line breaks as two characters", "const a = 1;\\nreturn a;", "1:14", ESCAPED],
    ["quotes with backslashes", 'const a = \\"x\\"; return a;', "1:12", ESCAPED],
    ["typographic quotes", "const a = \u201chello\u201d;", "1:11", /\(U\+201C\); texts stand in straight/],
    ["a character that nobody sees", "const a = 1;\u200b\nreturn a;", "1:13", /\(U\+200B\)$/],
    ["HTML", "if (a &amp;&amp; b) { return 1 }", "1:7", /^Unexpected '&amp;', which is HTML/],
    ["HTML further on", "return [1].filter((x) =&gt; x);", "1:24", /^Unexpected '&gt;', which is HTML/],
    ["a comment of another language", "# get it\nconst a = 1;", "1:2", /^Unexpected '#': a comment begins/],
    ["Python", "def main():\n    return 1", "1:5", /^Unexpected token 'main'; this looks like Python/],
    ["Python's loops", "for i in range(10):\n    text(i)", "1:5", /looks like Python/],
    ["Python's texts", 'x = 5\nprint(f"value {x}")', "2:7", /in back-ticks; this looks like Python/],
    [
      "a brace too few",
      "const f = () => {\n  text(1)",
      "2:10",
      /end of input: nothing closes the `\{` on line 1$/,
    ],
    [
      "a parenthesis too few",
      "const r = await Promise.all([1].map(async (n) => {\n  text(n);\n});\nreturn r",
      "3:3",
      /^Unexpected token ';': nothing closes the `\(` on line 1$/,
    ],
    ["a parenthesis before a statement", "const p = f(g(1)\nreturn p", "2:1", /closes the `\(` on line 1$/],
    [
      "a bracket too few",
      "const a = { c: [1, 2 };",
      "1:22",
      /^Unexpected token '}': nothing closes the `\[`/,
    ],
    [
      "a brace too few behind types",
      "const f = async (n: number): Promise<string> => {\n  return `x ${n}`;\n\nconst r = await f(1);\nreturn r;",
      "5:10",
      /^Unexpected end of input: nothing closes the `\{` on line 1$/,
    ],
    [
      "a brace too few in a class",
      "class A { private x: number = 1\n  get(): number { return this.x }",
      "2:34",
      /closes the `\{` on line 1$/,
    ],
    [
      "a brace too many behind types",
      "interface A { a: string }\nconst x: number = 1; }\nreturn x;",
      "2:22",
      /^Unexpected token '}'$/,
    ],
    ["an end behind types", "const a = 1 as number\nconst b = a +", "2:14", /^Unexpected end of input$/],
    [
      "a bracket too few behind types",
      'const m = new Map<string, number>([["a", 1]);',
      "1:44",
      /got '\)': nothing closes the `\[` on line 1$/,
    ],
    ["a placeholder too few", "text(`a ${b);", "1:12", /nothing closes the `\$\{` on line 1$/],
  ])("%s", (_, code, place, message) => {
    const error = failure(code);
    expect(error.name).toBe("SyntaxError");
    expect(error.message).toMatch(message);
    expect(`${error.line}:${error.column}`).toBe(place);
    expect(error.lineText).toBe(code.split("\n")[(error.line ?? 0) - 1]);
  });

  test.each(["```python\nprint(1)\n```", "Here it is:\n\n```py\nprint(1)\n```\n"])(
    "a fence of another language is named: %j",
    (code) => {
      expect(failure(code).message).toMatch(
        /^The script is inside of a Markdown fence for `py(?:thon)?`; scripts/,
      );
    },
  );
});

describe("what is no such slip keeps the parser's words", () => {
  test.each([
    ["const b = ;", "Unexpected token ';'"],
    ["return { a: 1; b: 2 };", "Unexpected token ';'"],
    ["for (const i of [1]) {\n}}", "Unexpected token '}'"],
    ["const o = { a: 1 b: 2 };", "Unexpected token 'b'"],
    ["const a = 1;\nconst a = 2;", "Identifier 'a' has already been declared"],
    ["if (a <b c) { return 1 }", "Unexpected token 'c'"],
    ["const md = `\n```python\nx\n```\n`;\nconst a = ;", "Expression expected"],
    ["const s = { 'await ': 1 2 }", "Unexpected token '2'"],
    ["const a = async () => { await }", "Unexpected token '}'"],
    ["if (x: number) { }", "Unexpected token ':'"],
  ])("%j", (code, message) => {
    expect(failure(code).message).toBe(message);
  });
});

test("a hostile text is worded in time that grows with its length", () => {
  const texts = [
    `${"await ".repeat(100_000)};`,
    `a = ;${" ".repeat(500_000)}`,
    "if a:  ".repeat(80_000),
    `x = <a ${"<b ".repeat(150_000)}`,
    `${"&gt".repeat(150_000)} ;`,
    `[${"(".repeat(200)}${"1,".repeat(200_000)}`,
    "{".repeat(20_000),
  ];
  const started = process.threadCpuUsage();
  for (const text of texts) {
    const outcome = prepareSource(text);
    expect(outcome.ok ? "read" : outcome.error.name).toMatch(/Error$/);
  }
  // What is quadratic would take minutes.
  expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(60_000);
});
