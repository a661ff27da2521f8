import { obj } from "@earendil-works/pi-schema";
import {
  checkToolNames,
  defineTool,
  findNameCollisions,
  nearestName,
  textResult,
  toIdentifier,
} from "@nestbox/tool";
import { describe, expect, it } from "vitest";
import { toolNameFault } from "../src/name.ts";

const define = (name: unknown) =>
  defineTool({
    name: name as string,
    description: "",
    parameters: obj({}),
    execute: async () => textResult(""),
  });

describe("a tool's name", () => {
  it.each(["read", "my-tool", "a", "A_1-b", "__proto__", "constructor", "x".repeat(64)])(
    "%s is accepted",
    (name) => {
      expect(define(name).name).toBe(name);
    },
  );

  it.each<[unknown, string]>([
    ["", "Choose such a name."],
    ["my tool", 'Use "my_tool".'],
    ["a.b", 'Use "a_b".'],
    ["read/file!", 'Use "read_file".'],
    ["é😀", "Choose such a name."],
    ["naïve", 'Use "na_ve".'],
    ["x\n*/ y", 'Use "x_y".'],
    ["x".repeat(65), `Use "${"x".repeat(64)}".`],
    ["y".repeat(10_000), `Use "${"y".repeat(64)}".`],
    [undefined, "not undefined"],
    [null, "not null"],
  ])("%j is refused, with the fix in the message", (name, fix) => {
    const thrown = expect.objectContaining({
      code: "bad-name",
      message: expect.stringContaining(fix) as string,
    }) as Error;
    expect(() => define(name)).toThrow(thrown);
    expect((toolNameFault(name) ?? "").length).toBeLessThan(300);
  });

  it.each([
    ["my-tool", "my_tool"],
    ["read", "read"],
    ["2fa", "_fa"],
    ["a.b c", "a_b_c"],
    ["😀x", "_x"],
    ["$x", "$x"],
    ["class", "class"],
    ["", "_"],
  ])("%j is %s in a script, as in Pi's codemode", (name, identifier) => {
    expect(toIdentifier(name)).toBe(identifier);
  });

  it("may not become the identifier of another, nor be given twice", () => {
    expect(findNameCollisions(["a-b", "c", "a_b", "c", "d"])).toEqual([
      {
        identifier: "a_b",
        names: ["a-b", "a_b"],
        message: 'Tool names "a-b" and "a_b" both become `a_b` in a script. Rename one of them.',
      },
      {
        identifier: "c",
        names: ["c", "c"],
        message: 'Tool name "c" and "c" is given twice. Rename one of them.',
      },
    ]);
    expect(() => checkToolNames(["a-b", "a_b", "x y"])).toThrow(/Use "x_y"[^]*both become `a_b`/);
    expect(() => checkToolNames(["constructor", "toString", "__proto__"])).not.toThrow();
  });
});

describe("the name that was meant", () => {
  const known = ["codemode", "policy", "review", "traces"];

  it.each([
    ["reveiw", "review"],
    ["Review", "review"],
    ["polcy", "policy"],
    ["codeMode", "codemode"],
    ["trace", "traces"],
    ["__proto__", undefined],
    ["", undefined],
    ["x", undefined],
    ["r".repeat(100_000), undefined],
    ["colours", undefined],
  ])("%.20s is %s", (written, meant) => {
    expect(nearestName(written, known)).toBe(meant);
  });

  it("is the first of several that are equally near, and none of none", () => {
    expect(nearestName("ac", ["ab", "ad"])).toBe("ab");
    expect(nearestName("ac", ["bd", "ac"])).toBe("ac");
    expect(nearestName("ac", [])).toBeUndefined();
  });
});
