import * as fc from "fast-check";
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

test("tools without a namespace that do not fit are counted, too", () => {
  const tools = [tool("a"), tool("b", { description: "x".repeat(5_000) }), tool("c")];
  const catalog = renderCatalog(tools, { budget: 200 });
  expect(catalog.split("\n").filter((line) => /^[#(]/.test(line))).toEqual([
    "### `a`",
    "### `c`",
    "(1 of 3 tools not shown)",
  ]);
  expect(renderCatalog(tools)).not.toContain("not shown");
});

test("a namespace that its tools describe differently is described the same way, whoever comes first", () => {
  const tools = [
    tool("c", { namespace: { name: "n", description: "Third." } }),
    tool("a", { namespace: { name: "n" } }),
    tool("b", { namespace: { name: "n", description: "Second." } }),
  ];
  const catalog = renderCatalog(tools);
  expect(catalog).toContain("## n\nSecond.");
  expect(renderCatalog(tools.toReversed())).toBe(catalog);
});

test("what a budget allows is not passed, and the text is the same in every order of the tools", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({
          name: fc.stringMatching(/^[a-z-]{1,8}$/),
          description: fc.string({ maxLength: 400 }),
          namespace: fc.option(fc.record({ name: fc.constantFrom("x", "y", "z") }), { nil: undefined }),
        }),
        { selector: ({ name }) => name, maxLength: 12 },
      ),
      fc.nat(400),
      (made, budget) => {
        const tools = made.map(({ name, description, namespace }) =>
          tool(name, { description, ...(namespace === undefined ? {} : { namespace }) }),
        );
        const allNames = tools.map(({ name }) => name);
        const catalog = renderCatalog(tools, { budget, allNames });
        expect(renderCatalog(tools.toReversed(), { budget, allNames: allNames.toReversed() })).toBe(catalog);
        const nothing = renderCatalog(tools, { budget: 0, allNames });
        // Between sections stand two line ends each.
        expect(catalog.length).toBeLessThanOrEqual(nothing.length + 4 * budget + 2 * tools.length);
      },
    ),
  );
});

test("identifiers are the ones that scripts see, whatever is listed", () => {
  // S36
  expect(renderCatalog([tool("my-tool")], { allNames: ["my-tool", "my_tool"] })).toMatch(
    /^### `my_tool_[0-9a-f]{8}`/,
  );
});
