import { describe, expect, it } from "vitest";
import type { ToolAnnotations, ToolSource } from "@nestbox/tool";

import { call, engineOf, layer } from "./support.ts";

const extension: ToolSource = { kind: "extension" };
const annotated = (annotations: ToolAnnotations, source: ToolSource = extension) =>
  call("x", {}, { source, tool: { name: "x", source, annotations } });

describe("a tool that no rule names is judged by its annotations", () => {
  // contract A6, A7
  it.each<[string, ToolAnnotations, "allow" | "ask"]>([
    ["no hints", {}, "ask"],
    ["read-only, closed world", { readOnlyHint: true, openWorldHint: false }, "allow"],
    ["read-only", { readOnlyHint: true }, "allow"],
    ["read-only and destructive contradict", { readOnlyHint: true, destructiveHint: true }, "ask"],
    ["not destructive, open world by default", { destructiveHint: false }, "ask"],
    ["not destructive, closed world", { destructiveHint: false, openWorldHint: false }, "allow"],
    ["closed world only", { openWorldHint: false }, "ask"],
    [
      "not read-only, not destructive, closed",
      { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
      "allow",
    ],
  ])("%s", (_title, annotations, effect) => {
    const decision = engineOf([]).evaluate(annotated(annotations));
    expect(decision).toMatchObject({ effect, rule: "default.annotations", layer: "built-in" });
  });

  it.each<[string, ToolSource | undefined, "allow" | "ask"]>([
    ["an extension", { kind: "extension" }, "allow"],
    ["a module", { kind: "module" }, "allow"],
    ["the SDK", { kind: "sdk" }, "allow"],
    ["an MCP server", { kind: "mcp", server: "x" }, "ask"],
    ["nobody knows where", undefined, "ask"],
  ])("the hints of %s", (_title, source, effect) => {
    const request = call(
      "x",
      {},
      {
        tool: { name: "x", ...(source === undefined ? {} : { source }), annotations: { readOnlyHint: true } },
      },
    );
    expect(engineOf([]).evaluate(request).effect).toBe(effect);
  });

  it("counts a server's hints once the user trusts it, and not on a project's word", () => {
    const request = annotated({ readOnlyHint: true }, { kind: "mcp", server: "docs" });
    const trust = { trust: { mcpServers: ["docs"] } };
    expect(engineOf([layer("user", trust)]).evaluate(request).effect).toBe("allow");
    expect(engineOf([layer("project", trust)]).evaluate(request).effect).toBe("ask");
    expect(
      engineOf([layer("project", trust), layer("user", { projectMayLoosen: true })]).evaluate(request).effect,
    ).toBe("allow");
  });
});

describe("where a mapping and a tool's own annotations differ, the worse value counts", () => {
  const harmless = { readOnlyHint: true, openWorldHint: false };
  // contract A6, A7
  it.each([
    [harmless, { destructiveHint: true }, "ask"],
    [harmless, { readOnlyHint: false }, "ask"],
    [{ destructiveHint: true }, harmless, "ask"],
    [{ readOnlyHint: false }, harmless, "ask"],
    [harmless, harmless, "allow"],
    [undefined, harmless, "allow"],
  ] as const)("own %j, mapped %j: %s", (annotations, mapped, effect) => {
    const engine = engineOf([layer("user", { tools: { x: { annotations: mapped } } })]);
    const tool = { name: "x", source: { kind: "sdk" } as const };
    const request = call("x", {}, { tool: annotations === undefined ? tool : { ...tool, annotations } });
    expect(engine.evaluate(request).effect).toBe(effect);
  });
});

describe("deny before ask before allow, in any order", () => {
  const rules = [
    { id: "yes", effect: "allow", tool: "x" },
    { id: "maybe", effect: "ask", tool: "x*" },
    { id: "no", effect: "deny", tool: { name: "*" } },
  ];
  it.each([
    [["yes"], "allow"],
    [["yes", "maybe"], "ask"],
    [["maybe", "yes"], "ask"],
    [["no", "yes", "maybe"], "deny"],
    [["yes", "maybe", "no"], "deny"],
  ] as const)("%j", (ids, effect) => {
    const chosen = ids.map((id) => rules.find((rule) => rule.id === id));
    expect(engineOf([layer("user", { rules: chosen })]).evaluate(annotated({})).effect).toBe(effect);
  });

  it("a project can tighten but not loosen", () => {
    const allow = layer("project", {
      fallback: { x: "allow" },
      rules: [{ id: "yes", effect: "allow", tool: "x" }],
    });
    expect(engineOf([allow]).evaluate(annotated({})).effect).toBe("ask");
    expect(engineOf([allow, layer("user", { projectMayLoosen: true })]).evaluate(annotated({})).effect).toBe(
      "allow",
    );
    const deny = layer("project", { rules: [{ id: "no", effect: "deny", tool: "x" }] });
    expect(engineOf([layer("user", { rules: [rules[0]] }), deny]).evaluate(annotated({}))).toMatchObject({
      effect: "deny",
      rule: "no",
      layer: "project",
    });
  });
});

describe("an allow that reaches further counts, wherever it stands", () => {
  const open = { id: "open", effect: "allow", command: { prefix: "cp" } };
  const exact = { id: "exact", effect: "allow", command: { exact: "cp a /tmp/b" } };
  const env = { id: "env", effect: "allow", command: { prefix: "cp", env: ["FOO"] } };
  it.each([
    [[open, exact], "cp a /tmp/b", "allow"],
    [[exact, open], "cp a /tmp/b", "allow"],
    [[open], "cp a /tmp/b", "ask"],
    [[open, env], "FOO=1 cp a b", "allow"],
    [[env, open], "FOO=1 cp a b", "allow"],
    [[open], "FOO=1 cp a b", "ask"],
  ])("%j: %s: %s", (chosen, command, effect) => {
    expect(engineOf([layer("user", { rules: chosen })]).evaluate(call("bash", { command })).effect).toBe(
      effect,
    );
  });
  it("an allow beside a fallback that allows takes nothing away", () => {
    const engine = engineOf([layer("user", { fallback: { bash: "allow" }, rules: [open] })]);
    expect(engine.evaluate(call("bash", { command: "cp a b > log" })).effect).toBe("allow");
  });
});

describe("an MCP server is its identity, not the name that is made of it", () => {
  const evil = call("mcp__foo_bar__evil", {}, { source: { kind: "mcp", server: "foo_bar" } });
  it.each([
    [{ server: "foo.bar" }, "ask"],
    [{ server: "foo_bar" }, "allow"],
    [{ server: "foo_bar", name: "evil" }, "allow"],
    [{ name: "mcp__foo_bar__*" }, "ask"],
    [{ name: "*" }, "ask"],
    [{ name: "mcp__foo_bar__evil" }, "ask"],
    [{ namespace: "*" }, "ask"],
    [{ exposure: "direct" }, "ask"],
    [{ source: "mcp" }, "allow"],
    [{ server: "foo_bar", name: "bar__evil" }, "ask"],
  ])("allow %j", (tool, effect) => {
    expect(
      engineOf([layer("user", { rules: [{ id: "a", effect: "allow", tool }] })]).evaluate(evil).effect,
    ).toBe(effect);
  });
});

describe("an allow may name a server by the full name of its tools, where no other's can be meant", () => {
  it.each([
    ["mcp__docs__*", "mcp__docs__find", "docs", "allow"],
    ["mcp__docs__find", "mcp__docs__find", "docs", "allow"],
    ["mcp__my-docs__*", "mcp__my-docs__find", "my-docs", "allow"],
    ["mcp__docs__find", "mcp__docs__find_all", "docs", "ask"],
    ["mcp__docs__*", "mcp__docs__x__find", "docs__x", "ask"],
    ["mcp__docs*", "mcp__docs__find", "docs", "ask"],
    ["mcp__*", "mcp__docs__find", "docs", "ask"],
    ["*__find", "mcp__docs__find", "docs", "ask"],
    ["mcp__docs__*", "read", "docs", "ask"],
    ["mcp__a_b__*", "mcp__a_b__find", "a_b", "ask"],
    ["mcp__a_b__*", "mcp__a_b__find", "a.b", "ask"],
  ])("%s and %s of %s", (tool, name, server, effect) => {
    const engine = engineOf([layer("user", { rules: [{ id: "a", effect: "allow", tool }] })]);
    expect(engine.evaluate(call(name, {}, { source: { kind: "mcp", server } })).effect).toBe(effect);
  });
});

describe("a deny by name finds an MCP tool under any name it may have", () => {
  const tool = call("mcp__a__b__drop", {}, { source: { kind: "mcp", server: "a__b" } });
  it.each(["drop", "b__drop", "mcp__a__b__drop", "mcp__a__*", "dr*"])("%s", (name) => {
    expect(
      engineOf([layer("user", { rules: [{ id: "d", effect: "deny", tool: name }] })]).evaluate(tool).effect,
    ).toBe("deny");
  });
});

describe("a rule about hints believes those whom the person trusts", () => {
  const readers = {
    id: "readers",
    effect: "allow",
    tool: { annotations: { readOnlyHint: true, openWorldHint: true } },
  };
  const breakers = { id: "breakers", effect: "deny", tool: { annotations: { destructiveHint: true } } };
  const judged = (rule: object, source: ToolSource, annotations: ToolAnnotations, more: object = {}) =>
    engineOf([layer("user", { rules: [rule], ...more })]).evaluate(annotated(annotations, source)).rule;
  const mcp: ToolSource = { kind: "mcp", server: "m" };
  it("an allow", () => {
    expect(judged(readers, extension, { readOnlyHint: true })).toBe("readers");
    expect(judged(readers, extension, { readOnlyHint: true, openWorldHint: false })).not.toBe("readers");
    expect(judged(readers, mcp, { readOnlyHint: true })).not.toBe("readers");
    const named = { ...readers, tool: { server: "m", ...readers.tool } };
    expect(judged(named, mcp, { readOnlyHint: true })).not.toBe("readers");
    expect(judged(named, mcp, { readOnlyHint: true }, { trust: { mcpServers: ["m"] } })).toBe("readers");
  });
  it("a deny holds for what a server that is not trusted may hide", () => {
    expect(judged(breakers, extension, { destructiveHint: false })).not.toBe("breakers");
    expect(judged(breakers, extension, {})).toBe("breakers");
    expect(judged(breakers, mcp, { destructiveHint: false })).toBe("breakers");
    expect(judged(breakers, mcp, { destructiveHint: false }, { trust: { mcpServers: ["m"] } })).not.toBe(
      "breakers",
    );
  });
});

describe("an MCP tool that is mapped", () => {
  const tools = {
    mcp__fs__read: {
      server: "fs",
      paths: [{ argument: "path", action: "read" }],
      annotations: { readOnlyHint: true },
    },
  };
  const engine = engineOf([layer("user", { tools, rules: [{ id: "env", effect: "deny", path: ".env" }] })]);
  const judged = (server: string, path: string) =>
    engine.evaluate(call("mcp__fs__read", { path }, { source: { kind: "mcp", server } })).effect;
  it("is allowed by its mapping only when it is that server's", () => {
    expect(judged("fs", "a")).toBe("allow");
    expect(judged("f.s", "a")).toBe("ask");
  });
  it("is held to the denies in either case", () => {
    expect(judged("fs", ".env")).toBe("deny");
    expect(judged("f.s", ".env")).toBe("deny");
  });
});

describe("orchestrators that do nothing themselves", () => {
  it("codemode and tool_search are allowed, and an MCP tool of that name is not", () => {
    expect(engineOf([]).evaluate(call("codemode", { code: "" }))).toMatchObject({
      effect: "allow",
      rule: "default.transparent",
    });
    expect(engineOf([]).evaluate(call("tool_search"))).toMatchObject({ effect: "allow" });
    expect(engineOf([]).evaluate(call("codemode", {}, { source: { kind: "mcp", server: "m" } })).effect).toBe(
      "ask",
    );
  });
});
