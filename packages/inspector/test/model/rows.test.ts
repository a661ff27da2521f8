import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { noFilter, visibleRows } from "../../src/model/rows.ts";
import { buildTree } from "../../src/model/tree.ts";
import { rowWindow, scrollToShow } from "../../src/model/window.ts";
import { exampleTrace, largeTrace } from "../support/traces.ts";
import { runOf } from "../support/read.ts";

const tree = buildTree(runOf(exampleTrace()));
const names = (rows: ReturnType<typeof visibleRows>): readonly string[] =>
  rows.rows.map(({ node, match }) => `${"  ".repeat(node.level - 1)}${match ? "" : "("}${node.call.name}`);

describe("the rows of a tree", () => {
  it("are all of its calls, with their place among their siblings", () => {
    const { rows, matches } = visibleRows(tree, new Set(), noFilter);
    expect(matches).toBe(14);
    expect(rows).toHaveLength(14);
    expect(rows[3]).toMatchObject({ position: 4, setSize: 8, expanded: true });
    expect(rows[5]).toMatchObject({ position: 2, setSize: 2, expanded: undefined });
  });

  it("leave out what is folded", () => {
    const { rows } = visibleRows(tree, new Set(["run/4", "run/6"]), noFilter);
    expect(rows.map(({ node }) => node.call.id)).toEqual(
      ["1", "2", "3", "4", "5", "5/1", "5/2", "6", "7", "8"].map((id) => `run/${id}`),
    );
    expect(rows[3]).toMatchObject({ expanded: false });
  });

  it("are with a filter what fits and what leads to it, folded or not", () => {
    expect(
      names(visibleRows(tree, new Set(["run/5"]), { ...noFilter, statuses: new Set(["error"]) })),
    ).toEqual(["(review_file", "  search_history"]);
    expect(names(visibleRows(tree, new Set(), { ...noFilter, text: "NO-PUBL" }))).toEqual(["publish"]);
    expect(names(visibleRows(tree, new Set(), { ...noFilter, text: "run/5/" }))).toEqual([
      "(review_file",
      "  read",
      "  search_history",
    ]);
    const denied = visibleRows(tree, new Set(), { ...noFilter, decision: "deny" });
    expect(names(denied)).toEqual(["publish"]);
    expect(denied.rows[0]).toMatchObject({ position: 1, setSize: 1 });
    const both = { ...noFilter, text: "read", statuses: new Set(["denied" as const]) };
    expect(visibleRows(tree, new Set(), both)).toEqual({ rows: [], matches: 0 });
  });

  it("hold for every tree: each visible row's parent is visible before it", () => {
    const large = buildTree(runOf(largeTrace(300, 4)));
    fc.assert(
      fc.property(
        fc.subarray(large.nodes.map(({ call }) => call.key)),
        fc.constantFrom("", "tool_1", "tool_16", "run/7"),
        (folded, text) => {
          const { rows } = visibleRows(large, new Set(folded), { ...noFilter, text });
          const seen = new Set<number>();
          for (const { node } of rows) {
            expect(node.parent === undefined || seen.has(node.parent.index)).toBe(true);
            seen.add(node.index);
          }
          expect(seen.size).toBe(rows.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("the window", () => {
  it("draws what is seen and a little more, whatever the place", () => {
    const of = (scrollTop: number, count = 10_000): readonly number[] => {
      const { first, last } = rowWindow({ count, rowHeight: 28, scrollTop, height: 560, overscan: 10 });
      return [first, last];
    };
    expect(of(0)).toEqual([0, 30]);
    expect(of(28 * 5_000)).toEqual([4_990, 5_030]);
    expect(of(28 * 9_980)).toEqual([9_970, 10_000]);
    expect(of(-50)).toEqual([0, 30]);
    // A filter has just made the list short.
    expect(of(28 * 9_000, 3)).toEqual([3, 3]);
    expect(of(0, 0)).toEqual([0, 0]);
  });

  it("scrolls no further than a row needs", () => {
    const at = { rowHeight: 28, scrollTop: 280, height: 280 };
    expect(scrollToShow(10, at)).toBe(280);
    expect(scrollToShow(19, at)).toBe(280);
    expect(scrollToShow(9, at)).toBe(252);
    expect(scrollToShow(20, at)).toBe(308);
  });
});
