import { describe, expect, test } from "vitest";
import { hintFor } from "../../src/output/hints.ts";
import { missingAwait } from "../../src/output/missing-await.ts";

describe("D14: a name from elsewhere is answered with what there is instead", () => {
  test.each([
    ["require", /no modules/],
    ["_", /no modules/],
    ["readFileSync", /no file system/],
    ["fetch", /no network/],
    ["Headers", /no network/],
    ["FormData", /no network/],
    ["process", /neither Node nor a browser/],
    ["Deno", /neither Node nor a browser/],
    ["Bun", /neither Node nor a browser/],
    ["global", /`globalThis`/],
    ["localStorage", /`store\(key, value\)`/],
    ["sessionStorage", /`load\(key\)`/],
    ["Blob", /`Uint8Array`/],
    ["Worker", /no threads/],
    ["print", /`text\(value\)`/],
    ["None", /`null`/],
    ["sleep", /setTimeout/],
    ["await", /`async`/],
    ["codemode", /members of `tools`/],
  ])("%s", (name, hint) => {
    expect(hintFor("ReferenceError", `${name} is not defined`)).toMatch(hint);
  });

  test.each([
    ["ReferenceError", "constructor is not defined"],
    ["ReferenceError", "isues is not defined"],
    ["ReferenceError", "Cannot access 'print' before initialization"],
    ["TypeError", "fetch is not defined"],
    ["TypeError", "globalThis.mine is not a function"],
    ["Error", "print is not defined"],
  ])("nothing is said of %s: %s", (name, message) => {
    expect(hintFor(name, message)).toBeUndefined();
  });

  test("what is asked of the global object is answered, too", () => {
    expect(hintFor("TypeError", "globalThis.fetch is not a function")).toMatch(/no network/);
    expect(hintFor("TypeError", "crypto.createHash is not a function")).toMatch(/subtle\.digest/);
    expect(hintFor("TypeError", "tools is not a function")).toMatch(/members of `tools`/);
  });

  test("a tool that is called by its bare name, or by what it belongs to", () => {
    const tools = ["get-issue", "github__search-code", "github__list", "github__a", "github__b", "print"];
    const hint = (name: string) => hintFor("ReferenceError", `${name} is not defined`, tools);
    expect(hint("get_issue")).toBe("tools are members of `tools`: `await tools.get_issue(args)`");
    expect(hint("github")).toBe(
      "tools are members of `tools`: `tools.github__search_code`, `tools.github__list`, `tools.github__a` and 1 more",
    );
    expect(hint("print")).toBe("tools are members of `tools`: `await tools.print(args)`");
    expect(hint("git")).toBeUndefined();
    for (const name of ["getIssue", "GetIssue", "external_get_issue", "mcp__get_issue"])
      expect(hint(name)).toBe("tools are members of `tools`: `await tools.get_issue(args)`");
    expect(hint("github_list")).toBe("tools are members of `tools`: `await tools.github__list(args)`");
  });
});

describe("a promise that was taken for its result", () => {
  const told = (code: string, line: number, message: string, name = "TypeError") =>
    missingAwait({ kind: "script", name, message, line, lineText: code.split("\n")[line - 1] ?? "" }, code);
  const READING = "Cannot read properties of undefined (reading 'map')";

  test.each([
    ["a variable", "const r = tools.get({ a: 1 });\nreturn r.title.map(f);", 2, READING, 1],
    [
      "a pattern",
      "const x = 1;\nconst { issues, total: sum } =\n  tools.list({});\nreturn issues.map(f);",
      4,
      READING,
      3,
    ],
    ["an assignment", "let r;\nr = tools['a-b']({});\nreturn r.map(f);", 3, "r.map is not a function", 2],
    [
      "a loop",
      "for (const i of tools.list({})) text(i);",
      1,
      "tools.list is not a function or its return value is not iterable",
      1,
    ],
    [
      "a spread value",
      "return [...tools.list({})];",
      1,
      "tools.list is not a function or its return value is not iterable",
      1,
    ],
    [
      "a member of a member",
      "return tools.list({}).issues.length;",
      1,
      "Cannot read properties of undefined (reading 'length')",
      1,
    ],
  ])("%s", (_, code, line, message, place) => {
    expect(told(code, line, message)).toMatch(
      new RegExp(`^\`tools\\S+\\(…\\)\` on line ${place} is not awaited`),
    );
  });

  test("JSON.parse of it", () => {
    const message = "Unexpected token 'o', \"[object Promise]\" is not valid JSON";
    expect(told("const r = tools.get({});\nreturn JSON.parse(r);", 2, message, "SyntaxError")).toMatch(
      /line 1/,
    );
  });

  test.each([
    [
      "another mistake on a line with a call",
      "return items.map((i) => tools.echo({ x: i.foo() }));",
      1,
      "i.foo is not a function",
    ],
    [
      "a promise that is awaited later",
      "const p = tools.a({});\nconst r = await p;\nreturn [p, r].x.map(f);",
      3,
      READING,
    ],
    [
      "promises that are awaited together",
      "const a = tools.a({});\nawait Promise.all([a, 1]);\nreturn x.y.map(a);",
      3,
      READING,
    ],
    ["a line that waits", "const a = tools.a({});\nreturn (await a).b.map(f);", 2, READING],
    ["another variable", "const a = tools.a({});\nreturn b.a.map(f);", 2, READING],
    ["a function that calls", "const a = () => tools.a({});\nreturn a.b.map(f);", 2, READING],
    ["another error", "const a = tools.a({});\nreturn a.map(f);", 2, "boom"],
  ])("is not what is wrong: %s", (_, code, line, message) => {
    expect(told(code, line, message)).toBeUndefined();
  });

  test("a hostile script is looked through in time that grows with its length", () => {
    const line = "a$ = b; c.d.e.f; g.h; $; i j k l m n o p q";
    const texts = [
      "a=tools.a(".repeat(4_900),
      "await ".repeat(8_000) + "tools.a(",
      `${"Promise.all(".repeat(4_000)}a=tools.a(`,
      `=${" ".repeat(49_000)}`,
      `${"w".repeat(99)}=tools.a(`.repeat(450),
    ];
    const started = process.threadCpuUsage();
    for (const text of texts) {
      const error = { kind: "script", name: "TypeError", message: READING, line: 1, lineText: line } as const;
      missingAwait(error, text);
    }
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});
