import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parsePatch, splitPatches } from "../../src/reports/patch.ts";

const limits = { maxChars: 10_000, maxLineChars: 1_000 };
const patch = (path: string, lines: readonly string[]): string =>
  [`diff --git a/${path} b/${path}`, "index 1..2 100644", `--- a/${path}`, `+++ b/${path}`, ...lines].join(
    "\n",
  );

describe("patches are read for what they are", () => {
  test("lines that look like headers are lines of their hunk", () => {
    const lines = [
      "@@ -1,2 +1,2 @@ x",
      "-diff --git a/evil b/evil",
      "+@@ -1 +1 @@",
      " 1\t1\tc.txt",
      "\\ No newline at end of file",
    ];
    const source = `1\t1\ta.txt\n1\t0\tb.txt\n\n${patch("a.txt", lines)}\n${patch("b.txt", ["@@ -0,0 +1 @@", "+b"])}\n`;
    const sections = splitPatches(source);
    expect(sections).toHaveLength(2);
    expect(parsePatch(sections[0] ?? "", limits)).toMatchObject({
      added: 1,
      removed: 1,
      truncated: false,
      hunks: [{ section: "x", lines: lines.slice(1) }],
    });
    expect(parsePatch(sections[1] ?? "", limits)).toMatchObject({
      added: 1,
      removed: 0,
      hunks: [{ lines: ["+b"] }],
    });
  });

  test("numbers and patches that do not match give nothing rather than the wrong file", () => {
    expect(splitPatches(`1\t1\ta.txt\n\n${patch("a.txt", [])}\n${patch("b.txt", [])}\n`)).toEqual([]);
  });

  test("what was cut says so", () => {
    const cut = `5\t0\ta.txt\n\n${patch("a.txt", ["@@ -0,0 +1,5 @@", "+a", "[… 300 bytes omitted …]", "+e"])}`;
    expect(parsePatch(cut, limits)).toMatchObject({ added: 5, truncated: true, hunks: [{ lines: ["+a"] }] });
    const long = `1\t0\ta.txt\n\n${patch("a.txt", ["@@ -0,0 +1 @@", `+${"x".repeat(5_000)}`])}`;
    expect(parsePatch(long, limits).truncated).toBe(true);
  });

  test("any text gives an answer within the limits", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constantFrom("@@ -1,3 +1,3 @@", "diff --git a/x b/x", "-a", "+b", " c", "1\t2\tx", "-\t-\tx"),
            fc.string(),
          ),
        ),
        (lines) => {
          const source = lines.join("\n");
          const { hunks } = parsePatch(source, limits);
          expect(hunks.flatMap((hunk) => hunk.lines).join("").length).toBeLessThanOrEqual(limits.maxChars);
          for (const section of splitPatches(source)) expect(typeof section).toBe("string");
        },
      ),
    );
  });
});
