import { describe, expect, it } from "vitest";

import { nameGlob } from "../../src/paths/name-glob.ts";
import { createMemoryFs } from "./memory-fs.ts";
import { call, engineOf, layer } from "./support.ts";

describe("one component of a glob means what a shell means by it", () => {
  it.each([
    [".[!.]*", ".pi", true],
    [".[!.]*", "..x", false],
    ["[!a-c]x", "dx", true],
    ["[!a-c]x", "ax", false],
    ["[!]a]", "]", false],
    ["[]!a]", "]", true],
    [".[![:digit:]]i", ".pi", true],
    ["\\[!a]", "[!a]", true],
    ["[!a", "[!a", true],
    // These stand for themselves, as in the names of route folders.
    ["(group)*", "(group)x", true],
    ["(group)*", "groupx", false],
    ["a|b*", "a|bc", true],
    ["a+*", "a+b", true],
  ])("%s and %s: %s", (glob, name, wanted) => {
    expect(nameGlob(glob)(name)).toBe(wanted);
  });
});

describe("a set that leaves names out hides nothing", () => {
  const engine = engineOf(
    [
      layer("user", {
        fallback: { bash: "allow", read: "allow" },
        rules: [
          { id: "env", effect: "deny", path: ".env.[!e]*", match: ".env.local", notMatch: ".env.example" },
        ],
      }),
    ],
    { fs: createMemoryFs({ "/w/.pi/policy.jsonc": "", "/w/.env.local": "" }) },
  );
  it.each([
    ["rm -rf .[!.]i*", "leash.files"],
    ["cp x .[!.]i/policy.jsonc", "leash.files"],
    ["cat .env.[!x]*", "env"],
    ["cat .env.local", "env"],
  ])("%s is denied by %s", (command, rule) => {
    expect(engine.evaluate(call("bash", { command }))).toMatchObject({ effect: "deny", rule });
  });
});
