import { expect, test } from "vitest";
import { type CatalogTool, renderCatalog } from "../../src/declarations/catalog.ts";
import { renderSample, renderSignature } from "../../src/declarations/tool-declaration.ts";

function tool(name: string, extra: Partial<CatalogTool> = {}): CatalogTool {
  return { name, description: `Does ${name}.`, parameters: { type: "object", properties: {} }, ...extra };
}

test("a sample is the description, the guidelines and the declaration", () => {
  const sample = renderSample(tool("search", { promptGuidelines: ["Use it first. ", ""] }), "search");
  expect(sample).toBe(
    "Does search.\n\n- Use it first.\n\ncodemode tool declaration:\n```ts\ndeclare const tools: { search(args: { [key: string]: unknown; }): Promise<string>; };\n```",
  );
});

test("types of the arguments and of the result with one name are told apart", () => {
  const schema = {
    properties: { a: { $ref: "#/$defs/Item" }, b: { $ref: "#/$defs/Item" } },
    $defs: { Item: { type: "string" } },
  };
  const { member, declarations } = renderSignature(
    tool("x", { parameters: schema, outputSchema: schema }),
    "x",
  );
  expect(declarations).toEqual(["type Item = string;", "type ResultItem = string;"]);
  expect(member).toBe("x(args: { a?: Item; b?: Item; }): Promise<{ a?: ResultItem; b?: ResultItem; }>;");
});

test("a tool called new is a method, not a constructor", () => {
  // hostile 17
  expect(renderSignature(tool("new"), "new").member).toMatch(/^"new"\(/);
});

test("tools are grouped by namespace, in an order of their own", () => {
  // contract A21, A25
  const review = { name: "review", description: "Reviews changes." };
  const tools = [
    tool("b", { namespace: review }),
    tool("z"),
    tool("a", { namespace: review }),
    tool("my-tool"),
  ];
  const catalog = renderCatalog(tools);
  const headings = catalog.split("\n").filter((line) => line.startsWith("#"));
  expect(headings).toEqual(["### `my_tool` (`my-tool`)", "### `z`", "## review", "### `a`", "### `b`"]);
  expect(catalog).toContain("## review\nReviews changes.");
  expect(renderCatalog(tools.toReversed())).toBe(catalog);
});

test("within a budget every namespace is seen before any is complete, and what is missing is said", () => {
  const a = { name: "a" };
  const b = { name: "b" };
  const tools = [1, 2, 3].flatMap((n) => [tool(`a${n}`, { namespace: a }), tool(`b${n}`, { namespace: b })]);
  const one = Math.ceil(renderCatalog([tool("a1")]).length / 4);
  const catalog = renderCatalog(tools, { budget: one * 3 });
  expect(catalog).toContain("## a (1 of 3 tools not shown)");
  expect(catalog).toContain("## b (2 of 3 tools not shown)");
  expect(renderCatalog(tools, { budget: 0 })).toBe(
    "## a (3 of 3 tools not shown)\n\n## b (3 of 3 tools not shown)",
  );
});

test("identifiers are the ones that scripts see, whatever is listed", () => {
  // S36
  expect(renderCatalog([tool("my-tool")], { allNames: ["my-tool", "my_tool"] })).toMatch(
    /^### `my_tool_[0-9a-f]{8}`/,
  );
});
