import { array, assert as check, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { parsePattern, writeWord } from "../../src/gate/command-pattern.ts";

describe("a word of a command pattern", () => {
  it("is read back as it was written, whatever it holds", () => {
    const word = string({ unit: constantFrom("a", "|", "'", "\\", " ", "*", ".", '"', "$", "\n", "~") });
    check(
      property(array(word, { maxLength: 4 }), (words) => {
        const all = ["git", ...words];
        expect(parsePattern(all.map((each) => writeWord(each)).join(" "))).toEqual({
          ok: true,
          fed: false,
          words: all.map((value) => ({ kind: "word", value })),
        });
      }),
      { numRuns: 1_000 },
    );
    expect(writeWord("it's")).toBe(String.raw`'it'\''s'`);
  });
});
