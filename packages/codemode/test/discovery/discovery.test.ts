import type { CallableTool } from "@nestbox/tool";
import { describe, expect, test } from "vitest";
import { createDiscovery } from "../../src/discovery/discovery.ts";
import { tokenize } from "../../src/discovery/tokenize.ts";

function tool(name: string, description: string, extra: Partial<CallableTool> = {}): CallableTool {
  return { name, description, parameters: { type: "object", properties: {} }, ...extra };
}

const review = {
  name: "review-tools",
  aliases: ["diff"],
  description: "Reviews changes.",
  instructions: "Call review_diff before you report on a diff.",
};

const tools: CallableTool[] = [
  tool("mcp__github__create_issue", "Create an issue in a repository."),
  tool("mcp__github__list_issues", "List the issues of a repository."),
  tool("search_code", "Search source text.", {
    parameters: { properties: { pattern: { type: "string", description: "Regular expression" } } },
  }),
  tool("review_diff", "Reviews a diff.", { namespace: review }),
  tool("run_checks", "Runs type check and tests.", { namespace: review }),
  tool("my-tool", "Has a dash."),
  tool("my_tool", "Has an underscore."),
];

const discovery = createDiscovery(tools);
const names = (query: string, options?: unknown) =>
  discovery.searchTools(query, options).map(({ name }) => name);

describe("searchTools", () => {
  test.each([
    ["create issue", "mcp__github__create_issue"],
    ["list issues", "mcp__github__list_issues"],
    ["listIssue", "mcp__github__list_issues"],
    ["create_issue", "mcp__github__create_issue"],
    ["regular expression", "search_code"],
    ["run the tests of the repository", "run_checks"],
    ["my_tool", "my_tool"],
    ["changes", "review_diff"],
    ["diff", "review_diff"],
  ])("%s finds %s first", (query, name) => {
    expect(names(query)[0]).toBe(name);
  });

  test("a query with no known word falls back to beginnings and near spellings", () => {
    expect(names("repositry")).toContain("mcp__github__create_issue");
    expect(names("expr")).toEqual(["search_code"]);
    expect(names("zzzzzz")).toEqual([]);
    expect(names("the of")).toEqual([]);
  });

  test("the number of results and the namespace can be chosen", () => {
    // contract A21
    expect(names("issue", { limit: 1 })).toHaveLength(1);
    expect(names("repository tests diff", { namespace: "review-tools" })).toEqual([
      "run_checks",
      "review_diff",
    ]);
    expect(names("diff", { namespace: "review_tools" })).toContain("review_diff");
    expect(names("diff", { namespace: "diff" })).toContain("review_diff");
    expect(names("issue", { namespace: "diff" })).toEqual([]);
    expect(names("issue", { namespace: null })).toHaveLength(2);
  });

  test.each([
    [[1], "searchTools() expects a query string"],
    [["a", { limit: 0 }], "searchTools() limit must be a positive integer"],
    [["a", { limit: 1.5 }], "searchTools() limit must be a positive integer"],
    [["a", { namespace: 1 }], "searchTools() namespace must be a string"],
  ])("wrong arguments %j are refused", (args, message) => {
    expect(() => discovery.searchTools(...(args as [unknown, unknown]))).toThrow(message);
  });

  test("the same query gives the same order", () => {
    expect(names("issue repository")).toEqual(
      createDiscovery(tools)
        .searchTools("issue repository")
        .map((t) => t.name),
    );
  });
});

describe("describeTool", () => {
  test("a tool is found by its exact name and by its identifier", () => {
    // S36
    expect(discovery.describeTool("my_tool")).toContain("underscore");
    expect(discovery.describeTool("my-tool")).toContain("dash");
    expect(discovery.describeTool(discovery.names.identifierOf("my-tool"))).toContain("dash");
    expect(discovery.describeTool("nope")).toBeUndefined();
    expect(discovery.describeTool("__proto__")).toBeUndefined();
    expect(() => discovery.describeTool(1)).toThrow("describeTool() expects a tool name");
  });
});

describe("describeNamespace", () => {
  test("a namespace is found by name, alias and identifier, with its instructions", () => {
    // contract A21
    const expected = {
      name: "review-tools",
      description: "Reviews changes.",
      instructions: "Call review_diff before you report on a diff.",
      tools: ["review_diff", "run_checks"],
    };
    for (const name of ["review-tools", "review_tools", "diff"])
      expect(discovery.describeNamespace(name)).toEqual(expected);
    expect(discovery.describeNamespace("nope")).toBeUndefined();
    expect(() => discovery.describeNamespace({})).toThrow("describeNamespace() expects a namespace name");
  });
});

test("ALL_TOOLS lists every tool under its identifier with its declaration", () => {
  const all = discovery.allTools();
  expect(all.map(({ name }) => name)).toEqual(discovery.names.tools.map(({ identifier }) => identifier));
  expect(all[2]?.description).toContain("declare const tools: { search_code(args: {");
});

test("the globals answer like the functions", () => {
  const signal = new AbortController().signal;
  const answers = discovery.globals.map((global) => global.execute(["review_diff"], { signal }));
  expect(answers).toEqual([
    discovery.searchTools("review_diff"),
    discovery.describeTool("review_diff"),
    discovery.describeNamespace("review_diff"),
  ]);
});

test("a namespace's own name goes before one that is only spelled alike", () => {
  const found = createDiscovery([
    tool("a", "A.", { namespace: { name: "a-b" } }),
    tool("b", "B.", { namespace: { name: "a_b", aliases: ["c-d"] } }),
    tool("c", "C.", { namespace: { name: "c-d" } }),
  ]);
  const members = (name: string) => found.describeNamespace(name)?.tools;
  expect(members("a-b")).toEqual(["a"]);
  expect(members("a_b")).toEqual(["b"]);
  expect(members("c-d")).toEqual(["c"]);
  expect(found.searchTools("a b c", { namespace: "a_b" }).map(({ name }) => name)).toEqual(["b"]);
});

test("a name with a hump is found in small letters, and the other way round", () => {
  const found = createDiscovery([
    tool("git_branches", "Lists branches."),
    tool("mcp__github__list_branches", "Lists branches."),
    tool("cookie_list", "Reads a cookie of a page on YouTube."),
    tool("open_url", "Opens a URL."),
  ]);
  const first = (query: string) => found.searchTools(query)[0]?.name;
  expect(first("GitHub branches")).toBe("mcp__github__list_branches");
  expect(first("youtube")).toBe("cookie_list");
  expect(first("cookies")).toBe("cookie_list");
  expect(first("URLs")).toBe("open_url");
});

test.each([
  ["many words that no tool has", Array.from({ length: 20_000 }, (_, index) => `q${index}x`).join(" ")],
  ["one endless word", "a".repeat(1_000_000)],
  ["endless capitals", "A".repeat(1_000_000)],
  ["endless humps", "aA".repeat(500_000)],
  ["text without spaces", "検索".repeat(500_000)],
  ["signs of regular expressions", "(((((a+)+)+)+)+$ [.*] \\\\b".repeat(50_000)],
  ["no words at all", " - 🦊 ".repeat(200_000)],
])("a query costs the host no more than a moment: %s", (_, query) => {
  const many = Array.from({ length: 300 }, (_unused, index) =>
    tool(`tool_${index}`, `${"A".repeat(60_000)} word${index}`),
  );
  const found = createDiscovery(many);
  const before = process.threadCpuUsage();
  expect(found.searchTools(query, { limit: 3 }).length).toBeLessThanOrEqual(3);
  expect(found.describeTool(query)).toBeUndefined();
  expect(found.describeNamespace(query)).toBeUndefined();
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(30_000);
});

test("words are split at humps and folded onto their singular, in every script", () => {
  expect(tokenize("listOpenIssues HTTPServer queries classes boxes")).toEqual([
    "list",
    "open",
    "issue",
    "http",
    "server",
    "query",
    "class",
    "box",
  ]);
  expect(tokenize("movies movie APIs IDs parseURLs")).toEqual(["movy", "movy", "api", "id", "parse", "url"]);
  expect(tokenize("検索ツール").length).toBeGreaterThan(0);
  expect(tokenize("größe")).toEqual(["größe"]);
});
