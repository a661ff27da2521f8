import { describe, expect, test } from "vitest";
import { nameTools, toIdentifier } from "../../src/declarations/identifier.ts";

const identifiers = (names: string[]) =>
  Object.fromEntries(nameTools(names).tools.map(({ name, identifier }) => [name, identifier]));

test.each([
  ["mcp__docs__search", "mcp__docs__search"],
  ["my-tool", "my_tool"],
  ["1st", "_st"],
  ["", "_"],
  ["a.b", "a_b"],
  ["🦊x", "_x"],
  ["delete", "delete"],
])("%j becomes %j", (name, identifier) => {
  expect(toIdentifier(name)).toBe(identifier);
});

describe("identifiers", () => {
  // S36, hostile 17, D10
  test("the exact name owns its identifier", () => {
    for (const names of [
      ["my-tool", "my_tool"],
      ["my_tool", "my-tool"],
    ]) {
      const named = identifiers(names);
      expect(named["my_tool"]).toBe("my_tool");
      expect(named["my-tool"]).toMatch(/^my_tool_[0-9a-f]{8}$/);
    }
  });

  test("tools that would share one are told apart the same way in every order", () => {
    const names = ["a-b", "a.b", "a b", "a_c"];
    const forward = identifiers(names);
    expect(identifiers(names.toReversed())).toEqual(forward);
    expect(new Set(Object.values(forward)).size).toBe(4);
    expect(forward["a b"]).toBe("a_b");
  });

  test("a suffix does not change when other tools come and go", () => {
    const alone = identifiers(["my-tool", "my_tool"]);
    const crowd = identifiers(["my.tool", "other", "my-tool", "zzz", "my_tool"]);
    expect(crowd["my-tool"]).toBe(alone["my-tool"]);
  });

  test("reserved words are ordinary members", () => {
    expect(identifiers(["delete", "class", "constructor", "__proto__", "await", ""])).toMatchObject({
      delete: "delete",
      class: "class",
      constructor: "constructor",
      "": "_",
    });
    expect(nameTools(["__proto__"]).tools).toEqual([{ name: "__proto__", identifier: "__proto__" }]);
  });

  test("a member that a promise or a serializer would call is never taken, and the reason is told", () => {
    // S33
    const { tools, members } = nameTools(["then", "toJSON"]);
    expect(members.has("then")).toBe(false);
    expect(members.has("toJSON")).toBe(false);
    expect(tools.map(({ identifier }) => members.get(identifier))).toEqual(["then", "toJSON"]);
    expect(tools.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("await tools"),
      expect.stringContaining("JSON.stringify(tools)"),
    ]);
  });

  test("exact names are members too, and both forms resolve", () => {
    const names = nameTools(["my-tool", "my_tool", "a b"]);
    expect(names.members.get("my-tool")).toBe("my-tool");
    expect(names.resolve("my_tool")).toBe("my_tool");
    expect(names.resolve(names.identifierOf("my-tool"))).toBe("my-tool");
    expect(names.resolve("a_b")).toBe("a b");
    expect(names.resolve("nope")).toBeUndefined();
  });

  test("a name that looks like somebody's suffix keeps its own identifier", () => {
    const suffixed = identifiers(["x-y", "x_y"])["x-y"] ?? "";
    const named = identifiers(["x-y", "x_y", suffixed]);
    expect(named[suffixed]).toBe(suffixed);
    expect(new Set(Object.values(named)).size).toBe(3);
  });
});
