import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileSchema } from "@nestbox/tool";

import { loadPolicy, parsePolicy, policySchema } from "../../src/index.ts";
import { call, engineOf, layer } from "./support.ts";

const parse = (source: string) => parsePolicy(source, { file: "policy.jsonc", layer: "user" });
const problems = (source: string) => {
  const result = parse(source);
  return result.ok
    ? []
    : result.problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
};
const rule = (body: string) => `{\n  "version": 1,\n  "rules": [\n    ${body}\n  ]\n}`;

const good = `{
  // Comments and trailing commas are fine.
  "$schema": "./node_modules/@nestbox/policy/policy.schema.json",
  "version": 1,
  "fallback": { "bash": "allow", "*": "ask" },
  "projectMayLoosen": false,
  "preset": { "git.force-push": { "effect": "ask", "except": { "ref": { "name": "mine" } } }, "publish": false },
  "tools": {
    "exec_command": { "shell": { "argument": "cmd", "cwd": "workdir" } },
    "apply_patch": { "patch": { "argument": "patch" } },
    "fetch": { "hosts": ["url"], "annotations": { "readOnlyHint": true } },
    "move": { "paths": [{ "argument": "from", "action": "delete" }, { "argument": "to[].path", "action": "write" }] },
    "orchestrate": { "transparent": true },
  },
  "trust": { "mcpServers": ["docs"], "env": ["MY_VAR"], "programFolders": ["/opt/bin"], "wrappers": ["rtk"] },
  "rules": [
    { "id": "a", "effect": "deny", "command": { "program": "rm", "flags": { "any": ["-r"] } }, "match": ["rm -rf x", "sudo rm -r y"], "notMatch": "rm x" },
    { "id": "b", "effect": "allow", "command": [{ "exact": ["npm", "test"] }, { "prefix": "npx 'vitest'" }], "match": ["npm test", "npx vitest run"], "notMatch": ["npm test -- -u", "npx vitestx"] },
    { "id": "c", "effect": "deny", "path": { "glob": [".env*"], "action": "read" }, "except": { "path": ".env.example" }, "match": ".env.local", "notMatch": ".env.example" },
    { "id": "d", "effect": "ask", "host": "*.example.com", "match": "a.example.com", "notMatch": "example.org" },
    { "id": "e", "effect": "deny", "ref": { "name": "main" }, "match": ["main", "git push origin HEAD:main"], "notMatch": "dev" },
    { "id": "f", "effect": "allow", "tool": { "server": "docs", "name": "*" }, "match": { "tool": "mcp__docs__find", "server": "docs" }, "notMatch": { "tool": "mcp__docs__find", "server": "docs2" } },
    { "id": "g", "effect": "ask", "tool": "send", "input": { "to": { "regex": "@example\\\\.com$" }, "urgent": true }, "match": { "tool": "send", "input": { "to": "a@example.com", "urgent": true } }, "notMatch": { "tool": "send", "input": { "to": "a@b.c", "urgent": true } } },
    { "id": "h", "effect": "ask", "tool": "*", "limit": { "calls": 100, "per": "script" } },
    { "id": "i", "effect": "ask", "tool": "*", "loop": { "identical": 4 } },
    { "id": "j", "effect": "deny", "path": { "outside": true, "action": ["write", "delete"] }, "calledBy": "task", "match": "/etc/x", "notMatch": "a" },
  ],
}`;

describe("a policy file", () => {
  it("is read whole, with comments, trailing commas and examples that hold", () => {
    expect(problems(good)).toEqual([]);
  });

  it("may begin with a byte order mark", () => {
    expect(problems(`\uFEFF{ "version": 1 }`)).toEqual([]);
  });

  it.each([
    [
      "an unknown key",
      `{\n  "version": 1,\n  "rulez": []\n}`,
      /policy\.jsonc:3:3: unknown key "rulez" \(did you mean "rules"\?\); known here: /,
    ],
    [
      "an unknown effect",
      rule(`{ "id": "a", "effect": "alow", "tool": "x" }`),
      /4:28: "alow" is not one of "allow", "ask", "deny"/,
    ],
    [
      "an unknown key in a rule",
      rule(`{ "id": "a", "effect": "deny", "tool": "x", "exept": [] }`),
      /4:49: unknown key "exept"/,
    ],
    ["a syntax error", `{ "version": 1,\n  "rules": [ { ] }`, /2:16: a name in double quotes/],
    ["no version", `{ "rules": [] }`, /the key "version" is missing/],
    ["another version", `{ "version": 2 }`, /version 2 is not known; this reads version 1$/],
    ["a key like none", `{ "version": 1, "whatever": 1 }`, /unknown key "whatever"; known here: /],
    ["an empty file", "", /1:1/],
    ["a list", "[]", /expected an object/],
    ["a key twice", `{ "version": 1, "version": 1 }`, /stands here twice/],
    [
      "an id twice",
      rule(`{ "id": "a", "effect": "deny", "tool": "x" }, { "id": "a", "effect": "ask", "tool": "y" }`),
      /4:51: the id "a" is used twice/,
    ],
    ["a rule that says nothing", rule(`{ "id": "a", "effect": "deny" }`), /says nothing/],
    [
      "a command of two kinds",
      rule(`{ "id": "a", "effect": "deny", "command": { "exact": "a", "prefix": "b" } }`),
      /exact and prefix/,
    ],
    [
      "a command with an operator",
      rule(`{ "id": "a", "effect": "allow", "command": { "exact": "a && b" } }`),
      /not the words of one command/,
    ],
    [
      "a bad expression",
      rule(`{ "id": "a", "effect": "deny", "command": { "program": "x", "regex": "(?=y)" } }`),
      /4:5: rule a: not an RE2 expression/,
    ],
    ["an empty path", rule(`{ "id": "a", "effect": "deny", "path": {} }`), /needs glob or outside/],
    ["a negated pattern", rule(`{ "id": "a", "effect": "deny", "path": "!x" }`), /write an except/],
    ["an unknown home", rule(`{ "id": "a", "effect": "deny", "path": "~root/x" }`), /only ~\//],
    [
      "an unknown action",
      rule(`{ "id": "a", "effect": "deny", "path": { "glob": "x", "action": "reed" } }`),
      /"reed" is not one of/,
    ],
    [
      "an example that is not matched",
      rule(
        `{ "id": "a", "effect": "deny",\n      "command": { "program": "rm" },\n      "match": ["rm x", "mv x y"] }`,
      ),
      /6:16: rule a: the example "mv x y" is not matched/,
    ],
    [
      "an example that must not match",
      rule(`{ "id": "a", "effect": "allow", "command": { "prefix": "git" }, "notMatch": "git push" }`),
      /the example "git push" is matched/,
    ],
    [
      "an allow whose example is only half allowed",
      rule(`{ "id": "a", "effect": "allow", "command": { "prefix": "git" }, "match": "git log && rm x" }`),
      /is not matched/,
    ],
    [
      "an unknown built-in rule",
      `{ "version": 1, "preset": { "git.force": false } }`,
      /no built-in rule "git.force"/,
    ],
    [
      "a limit of nothing",
      rule(`{ "id": "a", "effect": "ask", "tool": "x", "limit": { "per": "tool" } }`),
      /needs calls or prompts/,
    ],
    ["a wrong type", rule(`{ "id": "a", "effect": "deny", "tool": 3 }`), /expected an object/],
    [
      "a path and a host without a command",
      rule(`{ "id": "a", "effect": "deny", "path": "x", "host": "y" }`),
      /cannot ask about a host/,
    ],
    [
      "a limit about a command",
      rule(
        `{ "id": "a", "effect": "ask", "command": { "program": "x" }, "limit": { "calls": 1, "per": "tool" } }`,
      ),
      /not about a command/,
    ],
    [
      "an except that cannot hold",
      rule(`{ "id": "a", "effect": "allow", "tool": "write", "except": { "path": ".env" } }`),
      /write the rule about a path instead/,
    ],
    [
      "an except of a built-in rule that cannot hold",
      `{ "version": 1, "preset": { "path.external": { "except": { "host": "x" } } } }`,
      /cannot ask about a host/,
    ],
    [
      "too many stars",
      rule(`{ "id": "a", "effect": "deny", "path": "${"*a".repeat(20)}" }`),
      /more than 8 wildcards/,
    ],
    [
      "too many braces",
      rule(`{ "id": "a", "effect": "deny", "path": "${"{a,b}".repeat(8)}" }`),
      /more than 64 patterns/,
    ],
  ])("with %s is refused with file, line and reason", (_title, source, message) => {
    expect(problems(source).join("\n")).toMatch(message);
  });

  it("a project cannot change what guards it", () => {
    const result = parsePolicy(`{ "version": 1, "projectMayLoosen": true }`, { file: "p", layer: "project" });
    expect(result).toMatchObject({ ok: false });
  });

  it.each(["__proto__", "constructor", "toString"])(
    "the key %s is data or an error, never a prototype",
    (key) => {
      expect(problems(`{ "version": 1, "${key}": {} }`)[0]).toMatch(/unknown key/);
      const result = parse(
        `{ "version": 1, "fallback": { "${key}": "deny" }, "tools": { "${key}": { "transparent": true } } }`,
      );
      expect(result.ok && Object.hasOwn(result.policy.fallback, key)).toBe(true);
    },
  );
});

describe("a file that is refused makes its layer strict", () => {
  const broken = loadPolicy("{", { file: "policy.jsonc", layer: "user" });
  it("every call asks and says why, and a deny of another layer still holds", () => {
    const managed = layer("managed", {
      rules: [
        { id: "no-rm", effect: "deny", command: { program: "rm" } },
        { id: "ls", effect: "allow", command: { program: "ls" } },
      ],
    });
    const engine = engineOf([broken, managed]);
    expect(engine.evaluate(call("bash", { command: "ls" }))).toMatchObject({
      effect: "ask",
      rule: "strict.broken-policy",
      layer: "user",
    });
    expect(engine.evaluate(call("read", { path: "a" })).reason).toContain("policy.jsonc:1");
    expect(engine.evaluate(call("bash", { command: "rm x" }))).toMatchObject({
      effect: "deny",
      rule: "no-rm",
      layer: "managed",
    });
  });
  it("a layer that was never checked and cannot be compiled is strict too", () => {
    const policy = {
      version: 1,
      fallback: {},
      preset: {},
      tools: {},
      trust: {},
      rules: [{ id: "a", effect: "allow", command: [{ program: ["x"], regex: "(" }] }],
    } as const;
    expect(
      engineOf([{ ok: true, name: "user", policy }]).evaluate(call("read", { path: "a" })),
    ).toMatchObject({ effect: "ask", rule: "strict.broken-policy" });
  });
});

describe("the published JSON Schema", () => {
  const file: unknown = JSON.parse(
    readFileSync(new URL("../../policy.schema.json", import.meta.url), "utf8"),
  );
  it("is what the reader reads", () => {
    expect(file).toEqual(JSON.parse(JSON.stringify(policySchema)));
  });
  it("takes what the reader takes, and refuses unknown keys and effects as it does", () => {
    const compiled = compileSchema(policySchema);
    const check = (value: unknown) => compiled.check(value);
    const plain: unknown = JSON.parse(good.replace(/^\s*\/\/.*$/gm, "").replace(/,(\s*[}\]])/g, "$1"));
    expect(check(plain)).toMatchObject({ ok: true });
    expect(check({ version: 1, rulez: [] }).ok).toBe(false);
    expect(check({ version: 1, rules: [{ id: "a", effect: "alow", tool: "x" }] }).ok).toBe(false);
    expect(check({ version: 1, rules: [{ id: "a", effect: "deny", tool: "x", exept: [] }] }).ok).toBe(false);
    expect(
      check({ version: 1, rules: [{ id: "a", effect: "deny", command: { exact: "a", prefix: "b" } }] }).ok,
    ).toBe(false);
  });
});
