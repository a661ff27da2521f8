import { rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { locateAvaTests } from "../../src/node/runners/ava-files.ts";
import { makeFolder } from "../support/repository.ts";
import { parseTap } from "../../src/node/tap.ts";
import { createLocator, groupFailures } from "../../src/node/locate.ts";

async function failuresOf(source: string, options: Parameters<typeof parseTap>[1] = {}) {
  const parsed = await parseTap(source, options);
  if (!parsed.ok) throw new Error(parsed.reason);
  return groupFailures(parsed.report.failures, createLocator("/p", "/p")).files;
}

// contract A11
describe("a TAP report", () => {
  test("keeps what stands in diagnostics that are no YAML, each with its own line", async () => {
    const files = await failuresOf(`TAP version 13
not ok 1 - without any
ok 2 - passes
  ---
  error: 'it\\'s'
  location: '/p/wrong.js:1:1'
  ...
# Subtest: suite
    not ok 1 - inner
      ---
      location: '/p/b.js:7:3'
      error: \`it's "x"\`
      expected: '${"x".repeat(50)}'... 10 more characters
      actual: 'tab\\t\\x41\\u00e9'
      code: 'ERR_ASSERTION'
      exitCode: ~
      ...
    ok 2 - other
      ---
      error: 'it\\'s'
      ...
    1..2
not ok 3 - suite
  ---
  failureType: 'subtestsFailed'
  error: "it's" 'two'
  ...
not ok 4 - last
  ---
  location: '/p/c.js:9:1'
  error: |-
    first
      ---
    can't
  expected:
    a: \`it's "x"\`
  ...
1..4
`);
    expect(files).toMatchObject([
      { path: "(unknown file)", names: ["without any"] },
      {
        path: "b.js",
        failures: [
          {
            name: "suite > inner",
            kind: "assertion",
            line: 7,
            message: `it's "x"`,
            expected: "x".repeat(50),
            actual: "tab\tAé",
          },
        ],
      },
      {
        path: "c.js",
        failures: [{ name: "last", line: 9, message: "first\n  ---\ncan't", expected: `a: \`it's "x"\`` }],
      },
    ]);
  });

  test("of tape names the test whose assertion failed", async () => {
    const files = await failuresOf(
      `TAP version 13
# adds
ok 1 fine
not ok 2 should be strictly equal
  ---
    operator: equal
    expected: 'y'
    actual:   'it\\'s'
    at: Test.<anonymous> (/p/t.js:2:3)
  ...
not ok 3 should be truthy
  ---
    operator: ok
    at: Test.<anonymous> (/p/t.js:3:3)
  ...
1..3
`,
      { namesInComments: true },
    );
    expect(files).toMatchObject([
      {
        path: "t.js",
        names: ["adds > should be strictly equal", "adds > should be truthy"],
        failures: [{ actual: "it's", line: 2 }, { line: 3 }],
      },
    ]);
  });

  test("of ava is mapped to the test files by the titles", async () => {
    using folder = makeFolder({
      "src/__tests__/b.js": `import test from "ava";\ntest("one", (t) => t.fail());\ntest('twice', f); test('twice', f);\n`,
      "test/deep/test-a.ts": `import test from 'ava';\n\ntest("one", (t) => t.fail());\ntest("a › b", (t) => t.fail());\n`,
      "test/other.js": 'export const notATest = "one";\n',
      "node_modules/x/c.test.js": 'import test from "ava"; test("one");\n',
    });
    const tap = (titles: readonly string[]): string =>
      `TAP version 13\n${titles
        .map(
          (title, index) => `not ok ${index + 1} - ${title}
  ---
    name: AssertionError
    assertion: t.is()
    details:
      'Difference (- actual, + expected):': |-
        - 1
        + 2
    message: ''
    at: 'ExecutionContext.is (file:///p/node_modules/ava/lib/assert.js:309:16)'
  ...
`,
        )
        .join("")}1..${titles.length}\n`;
    const parsed = await parseTap(
      tap([
        "src › b › one",
        "src › b › twice",
        "test › deep › a › a › b",
        "deep › a › one",
        "one",
        "unknown",
      ]),
    );
    if (!parsed.ok) throw new Error(parsed.reason);
    const failures = await locateAvaTests(folder.path, parsed.report.failures);
    expect(failures.map(({ file, line }) => [file?.slice(folder.path.length + 1), line])).toEqual([
      ["src/__tests__/b.js", 2],
      ["src/__tests__/b.js", undefined],
      ["test/deep/test-a.ts", 4],
      ["test/deep/test-a.ts", 3],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(failures[0]).toMatchObject({
      kind: "assertion",
      message: "Difference (- actual, + expected):\n- 1\n+ 2",
    });
    rmSync(join(folder.path, "test"), { recursive: true });
    const alone = await locateAvaTests(folder.path, parsed.report.failures);
    expect(alone.map(({ file }) => file?.slice(folder.path.length + 1))).toEqual(
      Array.from({ length: 6 }, () => "src/__tests__/b.js"),
    );
  });

  test("of a runner that names a place in itself gives no line of another file", async () => {
    const files = await failuresOf(`TAP version 13
not ok 1 - a
  ---
    name: AssertionError
    message: 'm'
    at: 'ExecutionContext.is (file:///p/node_modules/ava/lib/assert.js:309:16)'
  ...
1..1
`);
    expect(files).toMatchObject([{ path: "(unknown file)", names: ["a"] }]);
    expect(files[0]?.failures[0]).not.toHaveProperty("line");
  });
});
