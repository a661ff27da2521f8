import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { alignByName, diffTrees } from "../../src/model/diff.ts";
import { buildTree, type TreeNode } from "../../src/model/tree.ts";
import { call, exampleTrace, largeTrace, otherTrace } from "../support/traces.ts";
import { runOf } from "../support/read.ts";

const header = { schema: "nestbox.call-trace", version: 1, durationMs: 5, omitted: 0 };
const nodesOf = (names: readonly string[]): readonly TreeNode[] =>
  buildTree(
    runOf({
      ...header,
      calls: names.map((name, n) => {
        const [tool = "", args = "{}"] = name.split(":");
        return call(`${n}`, tool, { arguments: args });
      }),
    }),
  ).roots;
const pairs = (left: string, right: string): string =>
  alignByName(left === "" ? [] : nodesOf(left.split(" ")), right === "" ? [] : nodesOf(right.split(" ")))
    .map((pair) => `${pair.left?.call.id ?? ""}-${pair.right?.call.id ?? ""}`)
    .join(" ");

describe("two runs side by side", () => {
  it("are laid on each other by the names of siblings, in order", () => {
    expect(pairs("a b c", "a b c")).toBe("0-0 1-1 2-2");
    expect(pairs("a b c", "a c")).toBe("0-0 1- 2-1");
    expect(pairs("a c", "a b c")).toBe("0-0 -1 1-2");
    expect(pairs("a x c", "a y c")).toBe("0-0 1- -1 2-2");
    expect(pairs("a b", "")).toBe("0- 1-");
    expect(pairs("", "a")).toBe("-0");
  });

  it("pair calls of one name by their arguments where they can", () => {
    expect(pairs("read:1 read:2 read:3", "read:2 read:3")).toBe("0- 1-0 2-1");
    expect(pairs("read:1 read:2 read:3", "read:1 read:3")).toBe("0-0 1- 2-1");
    expect(pairs("read:1 read:2", "read:8 read:9")).toBe("0-0 1-1");
    // Three of one name are more than two with the same arguments.
    expect(pairs("x:1 y:1 a:1 b:1 c:1", "a:2 b:2 c:2 x:1 y:1")).toBe("0- 1- 2-0 3-1 4-2 -3 -4");
  });

  it("say what only one of them did, and what differs in a call of both", () => {
    const found = diffTrees(buildTree(runOf(exampleTrace())).roots, buildTree(runOf(otherTrace())).roots);
    expect(found).toMatchObject({ onlyLeft: 4, onlyRight: 1, changed: 1 });
    const told = found.rows.map(({ kind, left, right, changes }) =>
      `${kind} ${(left ?? right)?.call.name} ${changes.join("+")}`.trim(),
    );
    expect(told).toContain("both publish status+decision");
    expect(told).toContain("right list_branches");
    expect(told.filter((line) => line === "left review_file")).toHaveLength(1);
    const same = diffTrees(buildTree(runOf(exampleTrace())).roots, buildTree(runOf(exampleTrace())).roots);
    expect(same).toMatchObject({ onlyLeft: 0, onlyRight: 0, changed: 0 });
  });

  it("lose no call and pair none twice, whatever the two are", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c:1", "c:2"), { maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (left, right) => {
        const found = alignByName(nodesOf(left), nodesOf(right));
        const ids = (side: "left" | "right"): readonly string[] =>
          found.flatMap((pair) => pair[side]?.call.id ?? []);
        expect(ids("left")).toEqual(left.map((_, n) => `${n}`));
        expect(ids("right")).toEqual(right.map((_, n) => `${n}`));
        const whole = found.filter((pair) => pair.left !== undefined && pair.right !== undefined);
        expect(whole.map((pair) => pair.left?.call.name)).toEqual(whole.map((pair) => pair.right?.call.name));
      }),
      { numRuns: 200 },
    );
  });

  it("take a way that ends for lists that are too long for a table", () => {
    const left = buildTree(runOf({ ...largeTrace(20_000, 1) })).nodes;
    const right = left.filter((_, n) => n % 50 !== 7);
    const found = alignByName(left, right);
    expect(found.filter(({ left: one }) => one !== undefined)).toHaveLength(20_000);
    expect(found.filter(({ right: one }) => one !== undefined)).toHaveLength(right.length);
  });
});
