import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createLocator, groupFailures } from "../../src/node/locate.ts";
import { shares } from "../../src/shares.ts";
import { parseTap } from "../../src/node/tap.ts";
import { parseCargoText } from "../../src/reports/cargo-text.ts";
import { parseGoJson } from "../../src/reports/go-json.ts";
import { parseJestJson } from "../../src/reports/jest-json.ts";
import { parseJunit } from "../../src/reports/junit.ts";
import { parseMochaJson } from "../../src/reports/mocha-json.ts";
import { parsePlaywrightJson } from "../../src/reports/playwright-json.ts";
import { plainText } from "../../src/reports/text.ts";

const parsers = {
  jest: parseJestJson,
  mocha: parseMochaJson,
  playwright: parsePlaywrightJson,
  junit: parseJunit,
  tap: parseTap,
  go: (text: string) => parseGoJson(text),
  cargo: (text: string) => parseCargoText(text, text),
};

describe("a report is foreign data: reading it is total and bounded", () => {
  test.each(Object.entries(parsers))("%s reads any text and any JSON", async (_name, parse) => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom("", "{", "null", "[]", "<a", "not ok", "1..2"),
    );
    const found = await fc.check(
      fc.asyncProperty(texts, async (text) => typeof (await parse(text)).ok === "boolean"),
    );
    expect(found.counterexample).toBeNull();
  });

  test.each([
    [
      "jest",
      '{"testResults":[{"assertionResults":[{"status":"failed","title":null,"failureMessages":[1,{}],"failureDetails":[{"matcherResult":{"expected":{"__proto__":{"x":1}}}}]}]},null,3]}',
    ],
    ["mocha", '{"stats":null,"failures":[null,1,{"err":{"stack":7}}]}'],
    [
      "playwright",
      '{"suites":[{"specs":[{"tests":[{"status":"unexpected","results":[]}]}],"suites":[[]]},null]}',
    ],
  ] as const)("%s reads a report with holes", (name, text) => {
    expect(parsers[name](text).ok).toBe(true);
  });

  test("suites that are nested too deeply end", async () => {
    const deep = '{"suites":['.repeat(3_000) + "]}".repeat(3_000);
    expect(parsePlaywrightJson(deep).ok).toBe(true);
    const xml = "<testsuite>".repeat(5_000) + "</testsuite>".repeat(5_000);
    expect((await parseJunit(xml)).ok).toBe(false);
  });

  test("entities cannot grow, read files or open connections", async () => {
    const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><testsuites><testsuite><testcase name="&b;"><failure/></testcase></testsuite></testsuites>`;
    expect(await parseJunit(bomb)).toMatchObject({ ok: false });
    const file = `<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites/>`;
    expect(await parseJunit(file)).toMatchObject({ ok: false });
  });

  test("a test named like a property of every object pollutes nothing", async () => {
    const xml = `<testsuites><testsuite name="__proto__"><testcase name="constructor" classname="__proto__"><failure message="polluted" __proto__="x"/></testcase><__proto__><polluted>1</polluted></__proto__></testsuite></testsuites>`;
    await parseJunit(xml);
    await parseTap(
      "TAP version 13\nnot ok 1 - __proto__\n  ---\n  __proto__:\n    polluted: 1\n  ...\n1..1\n",
    );
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test("aliases in a diagnostic cannot grow", async () => {
    const lines = ["a: &a [x,x,x,x,x,x,x,x,x,x]"];
    for (let index = 1; index < 12; index += 1)
      lines.push(
        `a${index}: &a${index} [${Array.from({ length: 10 }, () => `*a${index === 1 ? "" : index - 1}`).join(",")}]`,
      );
    const started = process.threadCpuUsage();
    await parseTap(
      `TAP version 13\nnot ok 1 - a\n  ---\n${lines.map((line) => `  ${line}`).join("\n")}\n  ...\n1..1\n`,
    );
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(10_000);
  });

  test("thousands of failures are counted and a bounded number is listed", () => {
    const failures = Array.from({ length: 5_000 }, (_, index) => ({
      file: "a.js",
      name: `t${index}`,
      kind: "error" as const,
      message: "m".repeat(100_000),
    }));
    const { files, omitted } = groupFailures(failures, createLocator("/p", "/p"));
    expect(files).toMatchObject([{ path: "a.js", failed: 5_000 }]);
    expect(omitted).toBe(4_800);
    expect(JSON.stringify(files).length).toBeLessThan(1_000_000);
  });

  // contract A11
  test("a file with thousands of failures does not take the places of the others", () => {
    const many = (file: string, count: number) =>
      Array.from(
        { length: count },
        (_, index) => ({ file, name: `${file} ${index}`, kind: "error", message: "" }) as const,
      );
    const failures = [...many("a.js", 3_000), ...many("b.js", 1), ...many("c.js", 3_000)];
    const { files, omitted } = groupFailures(failures, createLocator("/p", "/p"));
    expect(files.map(({ path, failed, names }) => [path, failed, names.length])).toEqual([
      ["a.js", 3_000, 100],
      ["b.js", 1, 1],
      ["c.js", 3_000, 99],
    ]);
    expect(omitted).toBe(5_801);
    expect(files[2]?.names[98]).toBe("c.js 98");
  });

  test.each<[readonly number[], number, readonly number[]]>([
    [[], 5, []],
    [[0, 3], 5, [0, 3]],
    [[9, 1, 9], 11, [5, 1, 5]],
    [[9, 9], 3, [2, 1]],
    [[1, 1, 1, 1], 2, [1, 1, 0, 0]],
    [[4, 4], 0, [0, 0]],
  ])("%j share %d as %j", (wanted, total, given) => {
    expect(shares(wanted, total)).toEqual(given);
  });

  test("a name is one line, whatever line breaks it has", () => {
    const failure = { file: "a.js", kind: "error", message: "m" } as const;
    const names = ["carriage\rreturn", "a\r\n\n  ## b.test.js: 0 failed", "tab\tstays"];
    const { files } = groupFailures(
      names.map((name) => ({ ...failure, name })),
      createLocator("/p", "/p"),
    );
    expect(files[0]?.names).toEqual(["carriage return", "a ## b.test.js: 0 failed", "tab\tstays"]);
  });

  test("a short root is taken out of no other path", () => {
    const locator = createLocator("/app", "/app");
    expect(
      locator.relativize("/app/src/a.ts:1 src/app/b.ts /apples /app-x file:///app/c.ts (/app) ./app"),
    ).toBe("src/a.ts:1 src/app/b.ts /apples /app-x c.ts (.) ./app");
    const disk = createLocator("/", "/");
    expect(disk.relativize("https://x.test/a and /etc")).toBe("https://x.test/a and /etc");
    expect(createLocator("/app", "/app").inside("..odd/a.ts")).toBe("..odd/a.ts");
  });

  test("paths outside of the project are not shown", () => {
    const locator = createLocator("/home/me/project", "/home/me/project/packages/a");
    expect(locator.inside("../../../.ssh/id")).toBeUndefined();
    expect(locator.inside("/etc/passwd")).toBeUndefined();
    expect(locator.inside("file:///home/me/project/src/a.ts")).toBe("src/a.ts");
    expect(locator.inside("test/a.ts")).toBe("packages/a/test/a.ts");
    expect(locator.inside("/home/me/project/node_modules/x/a.js")).toBeUndefined();
    expect(locator.relativize("at /home/me/project/src/a.ts in /home/me/project")).toBe("at src/a.ts in .");
  });

  test("what is printed cannot hide what follows it", () => {
    expect(plainText("\u001B]0;never ended\nnot ok 1")).toContain("not ok 1");
    expect(plainText("\u001BPunclosed\nfailed")).toContain("failed");
    expect(plainText("10%\r20%\r100%\r\ndone")).toBe("100%\ndone");
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        (text) => !/[\u0000-\u0008\u001B\u007F-\u009F\u202E]/.test(plainText(text)),
      ),
    );
    const started = process.threadCpuUsage();
    plainText("\u001B]".repeat(200_000));
    plainText("\u001B[0".repeat(200_000));
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});
