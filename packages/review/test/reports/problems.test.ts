import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseProblems } from "../../src/reports/problems.ts";

describe("the places that compilers and linters name are found", () => {
  test.each([
    [
      "tsc",
      "src/a.ts(3,7): error TS2322: Type 'x'.",
      { file: "src/a.ts", line: 3, column: 7, severity: "error", code: "TS2322", message: "Type 'x'." },
    ],
    [
      "tsc --pretty",
      "src/a.ts:3:7 - error TS2322: No.",
      { file: "src/a.ts", line: 3, column: 7, code: "TS2322" },
    ],
    ["mypy", "a/b.py:3: error: Bad type  [arg-type]", { file: "a/b.py", line: 3, severity: "error" }],
    [
      "ruff",
      "a.py:1:8: F401 `os` imported but unused",
      { file: "a.py", line: 1, column: 8, message: "F401 `os` imported but unused" },
    ],
    [
      "go vet",
      "vet: ./a.go:6:2: undefined: x",
      { file: "a.go", line: 6, column: 2, message: "undefined: x" },
    ],
    ["gcc", "a.c:4:1: warning: unused", { file: "a.c", line: 4, severity: "warning", message: "unused" }],
    [
      "rustc",
      "error[E0308]: mismatched types\n --> src/lib.rs:2:18\n  |",
      { file: "src/lib.rs", line: 2, column: 18, code: "E0308", message: "mismatched types" },
    ],
    [
      "eslint",
      "\n/p/src/a.js\n  1:7  error  'x' is unused  no-unused-vars\n",
      { file: "/p/src/a.js", line: 1, column: 7, code: "no-unused-vars", message: "'x' is unused" },
    ],
    [
      "oxlint",
      "  x eslint(no-debugger): `debugger` is not allowed\n   ,-[src/a.js:1:1]\n 1 | debugger",
      { file: "src/a.js", line: 1, code: "eslint(no-debugger)" },
    ],
  ])("%s", (_name, output, expected) => {
    expect(parseProblems(output)).toMatchObject([expected]);
  });

  test("ordinary text is none", () => {
    expect(
      parseProblems(
        "Done in 3:20 min\nhttp://localhost:8080/x: ok\nnote: see https://a.b/c:1\n12:30:11 started\n",
      ),
    ).toEqual([]);
  });

  test("any text gives an answer in time that grows with its length only", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => Array.isArray(parseProblems(text))));
    const started = process.threadCpuUsage();
    for (const piece of ["a.b:", "  1:1  error  ", "x ", "error[", "((((", "a/".repeat(50), " --> "])
      parseProblems(piece.repeat(100_000));
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(20_000);
  });
});
