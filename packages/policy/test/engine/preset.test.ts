import { describe, expect, it } from "vitest";

import { compileRule } from "../../src/engine/compile.ts";
import { dangers, lintPolicy } from "../../src/index.ts";
import { leashRules, presetRules } from "../../src/preset/rules.ts";
import { exampleMatches } from "../../src/rules/examples.ts";
import { emptyPolicy } from "../../src/rules/types.ts";
import { call, engineOf, layer } from "./support.ts";

const world = { policy: emptyPolicy, platform: "linux" } as const;
const entries = [...presetRules, ...leashRules([])];

describe("every built-in rule matches its own examples", () => {
  const examples = entries.flatMap(({ rule }) => [
    ...(rule.match ?? []).map((example) => [rule.id, example, true] as const),
    ...(rule.notMatch ?? []).map((example) => [rule.id, example, false] as const),
  ]);
  it.each(examples)("%s: %s: %s", (id, example, expected) => {
    const entry = entries.find(({ rule }) => rule.id === id);
    const compiled =
      entry === undefined
        ? undefined
        : compileRule(entry.rule, "built-in", { programFolders: [], trust: {}, soft: true });
    expect(compiled !== undefined && exampleMatches(compiled, example, world)).toBe(expected);
  });
});

describe("the managed and the user layer change built-in rules by id", () => {
  const force = call("bash", { command: "git push --force" });
  const allowed = { fallback: { bash: "allow" } };
  it("switches one off", () => {
    expect(engineOf([layer("user", { ...allowed })]).evaluate(force)).toMatchObject({
      effect: "deny",
      rule: "git.force-push",
      layer: "built-in",
    });
    expect(
      engineOf([layer("user", { ...allowed, preset: { "git.force-push": false } })]).evaluate(force).effect,
    ).toBe("allow");
  });
  it("changes its effect, and the stricter of two layers wins over the other", () => {
    const ask = layer("managed", { preset: { "git.force-push": { effect: "ask" } } });
    const deny = layer("user", { ...allowed, preset: { "git.force-push": { effect: "deny" } } });
    expect(engineOf([ask, layer("user", allowed)]).evaluate(force).effect).toBe("ask");
    expect(engineOf([ask, deny]).evaluate(force).effect).toBe("deny");
  });
  it("a user cannot switch off what the managed layer set", () => {
    const managed = layer("managed", { preset: { "git.force-push": { effect: "deny" } } });
    const user = layer("user", { ...allowed, preset: { "git.force-push": false } });
    expect(engineOf([managed, user]).evaluate(force).effect).toBe("deny");
  });
  it("adds an exception to one", () => {
    const policy = { ...allowed, preset: { "git.force-push": { except: { ref: { name: "my-branch" } } } } };
    const engine = engineOf([layer("user", policy)]);
    expect(engine.evaluate(call("bash", { command: "git push --force origin my-branch" })).effect).toBe(
      "allow",
    );
    expect(engine.evaluate(call("bash", { command: "git push --force origin my-branch main" })).effect).toBe(
      "deny",
    );
    expect(engine.evaluate(call("bash", { command: "git push --force" })).effect).toBe("deny");
  });
  it("the leash is not among them, and a project changes none", () => {
    expect(() => layer("user", { preset: { "leash.files": false } })).toThrow(/no built-in rule/);
    expect(() => layer("project", { preset: { "git.force-push": false } })).toThrow(/project cannot change/);
  });
});

// contract A3
describe("dangers", () => {
  it("lists the layers' denies and asks before the built-in ones, with examples and a way out", () => {
    const own = layer("user", {
      rules: [
        {
          id: "no-curl",
          effect: "deny",
          command: { program: "curl" },
          reason: "We fetch nothing",
          instead: "use the fetch tool",
          match: "curl http://x.test",
        },
      ],
    });
    const list = dangers([own]);
    expect(list[0]).toEqual({
      id: "no-curl",
      effect: "deny",
      title: "no-curl",
      reason: "We fetch nothing. Instead: use the fetch tool",
      examples: ["curl http://x.test"],
      layer: "user",
    });
    expect(list.find(({ id }) => id === "git.force-push")).toMatchObject({
      effect: "deny",
      title: "Force push",
      layer: "built-in",
    });
    expect(list.every(({ examples }) => examples.length > 0)).toBe(true);
  });
  it("leaves out what a layer switched off, and what only allows", () => {
    const ids = dangers([
      layer("user", {
        preset: { "git.force-push": false, "path.external": false },
        rules: [{ id: "ls", effect: "allow", command: { program: "ls" } }],
      }),
    ]).map(({ id }) => id);
    expect(ids).not.toContain("git.force-push");
    expect(ids).not.toContain("path.external");
    expect(ids).not.toContain("ls");
    expect(ids).toContain("leash.files");
  });
});

describe("lint tells what an author may regret", () => {
  const checks = (policy: object, name: "user" | "project" = "user") => {
    const loaded = layer(name, { ...policy });
    return loaded.ok ? lintPolicy(loaded.policy, name).map(({ check }) => check) : [];
  };
  it.each([
    [{ fallback: { "*": "allow" } }, "broad-fallback"],
    [{ rules: [{ id: "a", effect: "allow", command: { prefix: "python3" } }] }, "runner"],
    [{ rules: [{ id: "a", effect: "allow", command: { program: "xargs" } }] }, "runner"],
    [{ rules: [{ id: "a", effect: "allow", command: { program: "*" } }] }, "broad-allow"],
    [{ rules: [{ id: "a", effect: "allow", tool: "bash" }] }, "whole-shell"],
    [{ rules: [{ id: "a", effect: "allow", tool: "mcp__docs__*" }] }, "mcp-name"],
    [{ rules: [{ id: "a", effect: "deny", command: { program: "rm" } }] }, "no-reason"],
    [
      {
        rules: [
          { id: "a", effect: "allow", tool: "x" },
          { id: "b", effect: "deny", tool: "x", reason: "no" },
        ],
      },
      "same-subject",
    ],
  ])("%j: %s", (policy, check) => {
    expect(checks(policy)).toContain(check);
  });
  it("an allow of a project is told to be without effect", () => {
    expect(checks({ rules: [{ id: "a", effect: "allow", tool: "x" }] }, "project")).toEqual([
      "project-allow",
    ]);
  });
  it("says nothing about a good policy", () => {
    const policy = {
      rules: [
        { id: "a", effect: "deny", command: { program: "rm" }, reason: "No", match: "rm x" },
        { id: "b", effect: "allow", command: [{ exact: "npm test" }, { prefix: "npx vitest" }] },
        { id: "c", effect: "allow", command: { program: "*", readOnly: true } },
      ],
    };
    expect(checks(policy)).toEqual([]);
  });
});

describe("what a layer may not do", () => {
  const leash = call("write", { path: ".pi/policy.jsonc", content: "" });
  const allowsAll = { "*": "allow" } as const;

  it("switch the leash off or narrow it, also in a layer that no file was read for", () => {
    const change = { except: [{ tool: [{ name: "*" }] }] };
    for (const preset of [{ "leash.files": false }, { "leash.files": change }] as const) {
      const policy = { ...emptyPolicy, fallback: allowsAll, preset };
      const engine = engineOf([{ ok: true, name: "managed", policy }]);
      expect(engine.evaluate(leash)).toMatchObject({ effect: "deny", rule: "leash.files" });
    }
  });

  it("let a project loosen what the managed layer says that it may not, in whatever order", () => {
    const said = (name: "managed" | "user", projectMayLoosen: boolean) => layer(name, { projectMayLoosen });
    const project = layer("project", { rules: [{ id: "w", effect: "allow", tool: "write" }] });
    const ask = (...layers: ReturnType<typeof said>[]) =>
      engineOf([...layers, project]).evaluate(call("write", { path: "a", content: "" })).effect;
    expect(ask(said("managed", false), said("user", true))).toBe("ask");
    expect(ask(said("user", true), said("managed", false))).toBe("ask");
    expect(ask(said("managed", false), said("managed", true))).toBe("ask");
    expect(ask(said("managed", true), said("user", false))).toBe("allow");
  });
});
