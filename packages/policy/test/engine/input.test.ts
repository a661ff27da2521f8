import { describe, expect, it } from "vitest";
import type { JsonObject } from "@nestbox/tool";

import { call, engineOf, layer } from "./support.ts";

const schema = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};

describe("arguments are checked again (contract B7, K08)", () => {
  const everything = engineOf([
    layer("user", { fallback: { "*": "allow" }, rules: [{ id: "all", effect: "allow", tool: "*" }] }),
  ]);
  it.each<[string, JsonObject]>([
    ["an object for a text", { path: { toString: "x" } }],
    ["a list for a text", { path: ["a"] }],
    ["a missing argument", {}],
    ["an unknown argument", { path: "a", mode: "x" }],
    ["null", { path: null }],
    ["a number", { path: 1 }],
  ])("%s is denied, whatever the rules say", (_title, input) => {
    const request = call("edit", input, {
      tool: { name: "edit", source: { kind: "builtin" }, parameters: schema },
    });
    expect(everything.evaluate(request)).toMatchObject({ effect: "deny", rule: "input.invalid" });
  });
  it("a schema that cannot be compiled checks nothing, so the call is denied", () => {
    const request = call(
      "x",
      {},
      { tool: { name: "x", source: { kind: "sdk" }, parameters: { type: "nonsense" } } },
    );
    expect(everything.evaluate(request)).toMatchObject({ effect: "deny", rule: "input.invalid" });
  });
  it.each<[string, JsonObject]>([
    ["read", { path: { a: 1 } }],
    ["bash", { command: [1] }],
    ["bash", { command: { toString: "ls" } }],
    ["grep", { pattern: "x", glob: 3 }],
    ["write", { path: 7, content: "" }],
  ])("a mapped argument of another type is denied even without a schema: %s %j", (tool, input) => {
    expect(everything.evaluate(call(tool, input))).toMatchObject({ effect: "deny", rule: "input.invalid" });
  });
  it("an own property named __proto__ or constructor is data", () => {
    const input: unknown = JSON.parse('{"path":"a","__proto__":{"path":"/etc/passwd"}}');
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    expect(engineOf([]).evaluate(call("read", input as JsonObject)).effect).toBe("allow");
  });
});

describe("tools that are not Pi's are mapped once", () => {
  const tools = {
    run: { shell: { argument: "cmd", cwd: "dir" } },
    copy: {
      paths: [
        { argument: "from", action: "read" },
        { argument: "jobs[].to", action: "write" },
      ],
    },
    patch: { patch: { argument: "diff" } },
    fetch: { hosts: ["url"] },
    ps: { shell: { argument: "script", language: "powershell" } },
  };
  const rules = [
    { id: "no-rm", effect: "deny", command: { program: "rm" } },
    { id: "ls", effect: "allow", command: { program: "ls" } },
    { id: "env", effect: "deny", path: ".env" },
    { id: "src", effect: "allow", path: { glob: "src/**" } },
    { id: "evil", effect: "deny", host: ["evil.test", "*.evil.test"] },
    { id: "good", effect: "allow", host: "good.test" },
  ];
  const engine = engineOf([layer("user", { tools, rules })]);
  it.each<[string, JsonObject, string]>([
    ["run", { cmd: "ls" }, "allow"],
    ["run", { cmd: "rm x" }, "deny"],
    ["run", { cmd: ["rm", "a b"] }, "deny"],
    ["run", { cmd: ["ls", "; rm x"] }, "allow"],
    ["run", { cmd: ["bash", "-lc", "rm x"] }, "deny"],
    ["run", { cmd: "cat ../.env", dir: "sub" }, "deny"],
    ["run", { cmd: "ls", dir: "/etc" }, "ask"],
    ["ps", { script: "ls" }, "ask"],
    ["copy", { from: "src/a", jobs: [{ to: "src/b" }] }, "allow"],
    ["copy", { from: "src/a", jobs: [{ to: "src/b" }, { to: ".env" }] }, "deny"],
    ["copy", { from: "src/a", jobs: [{ to: "other" }] }, "ask"],
    ["patch", { diff: "*** Begin Patch\n*** Update File: src/a\n*** Move to: .env\n*** End Patch" }, "deny"],
    ["patch", { diff: "*** Begin Patch\n*** Add File: src/a\n+x\n*** End Patch" }, "allow"],
    ["patch", { diff: "*** Begin Patch\n  *** Delete File: .env\n*** End Patch" }, "deny"],
    ["patch", { diff: "--- a/src/a\n+++ b/.env\n@@ -1 +1 @@\n-a\n+b" }, "deny"],
    ["patch", { diff: "rename from src/a\nrename to .env" }, "deny"],
    ["patch", { diff: "no file is named here" }, "ask"],
    ["fetch", { url: "https://good.test/x" }, "allow"],
    ["fetch", { url: "https://good.test@evil.test/x" }, "deny"],
    ["fetch", { url: "HTTPS://EVIL.TEST./x" }, "deny"],
    ["fetch", { url: "a.evil.test" }, "deny"],
    ["fetch", { url: "http://[bad" }, "ask"],
    ["fetch", { url: "https://other.test" }, "ask"],
  ])("%s %j: %s", (tool, input, effect) => {
    const decision = engine.evaluate(call(tool, input, { source: { kind: "extension" } }));
    expect(`${decision.effect} ${decision.personMessage}`).toMatch(new RegExp(`^${effect} `));
  });
  it("a project's mapping adds facts, and makes nothing transparent or complete", () => {
    const project = layer("project", {
      tools: { x: { transparent: true, paths: [{ argument: "path", action: "read" }] } },
      rules: [{ id: "env", effect: "deny", path: ".env" }],
    });
    const judged = (path: string) =>
      engineOf([project]).evaluate(call("x", { path }, { source: { kind: "extension" } })).effect;
    expect(judged(".env")).toBe("deny");
    expect(judged("a")).toBe("ask");
  });
  it("a tool that took a built-in's name is read like it and still judged as itself", () => {
    const engine = engineOf([
      layer("user", {
        rules: [
          { id: "ls", effect: "allow", command: { program: "ls" } },
          { id: "rm", effect: "deny", command: { program: "rm" } },
        ],
      }),
    ]);
    const foreign = (command: string) =>
      engine.evaluate(call("bash", { command }, { source: { kind: "extension" } })).effect;
    expect(foreign("rm x")).toBe("deny");
    expect(foreign("ls")).toBe("ask");
  });
});

describe("subagents and scripts (contract A15, A23)", () => {
  const engine = engineOf([
    layer("user", {
      fallback: { bash: "allow" },
      rules: [
        { id: "child", effect: "deny", calledBy: "task*", path: "src/secret" },
        { id: "no-push", effect: "deny", command: { prefix: "git push" } },
      ],
    }),
  ]);
  const chain = [
    { callId: "a", toolName: "task" },
    { callId: "a/1", toolName: "codemode" },
  ];
  it("a rule for what a tool calls holds at every depth", () => {
    expect(engine.evaluate(call("read", { path: "src/secret/x" }, { chain, callId: "a/1/1" })).effect).toBe(
      "deny",
    );
    expect(engine.evaluate(call("read", { path: "src/secret/x" })).effect).toBe("allow");
  });
  it("a rule for the agent holds for what its scripts and subagents call", () => {
    expect(engine.evaluate(call("bash", { command: "git push" }, { chain, callId: "a/1/1" })).effect).toBe(
      "deny",
    );
  });
  it("what a person types is not judged, unless a rule says so", () => {
    const own = { tools: { user_bash: { shell: { argument: "command" } } } };
    const judged = (rules: readonly object[]) =>
      engineOf([layer("user", { ...own, rules })]).evaluate(
        call("user_bash", { command: "rm -rf x" }, { actor: "person", source: { kind: "builtin" } }),
      );
    const rm = { id: "rm", effect: "deny", command: { program: "rm" } };
    expect(judged([rm])).toMatchObject({ effect: "allow", rule: "default.person" });
    expect(judged([{ ...rm, actor: "any" }]).effect).toBe("deny");
    expect(judged([{ ...rm, actor: "person" }]).effect).toBe("deny");
    expect(
      engineOf([]).evaluate(
        call(
          "user_bash",
          { command: "echo x > .pi/policy.jsonc; cat /etc/x | sudo tee $F" },
          { actor: "person", source: { kind: "builtin" } },
        ),
      ).effect,
    ).toBe("allow");
  });
});

describe("failing closed", () => {
  it("whatever throws while judging is a deny that says so (L04)", () => {
    const broken = {
      realpath: () => {
        throw new Error("the disk is on fire");
      },
      readlink: () => undefined,
      list: () => undefined,
      foldsCase: () => false,
    };
    const decision = engineOf([layer("user", { fallback: { "*": "allow" } })], { fs: broken }).evaluate(
      call("read", { path: "a" }),
    );
    expect(decision).toMatchObject({ effect: "deny", rule: "engine.error", layer: "built-in" });
    expect(decision.reason).toContain("the disk is on fire");
  });
  it("a request that is not one is denied", () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const odd = { callId: "x", chain: [], input: {}, cwd: "/w" } as never;
    expect(engineOf([]).evaluate(odd)).toMatchObject({ effect: "deny", rule: "engine.error" });
  });
});
