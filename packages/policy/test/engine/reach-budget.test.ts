import { describe, expect, it } from "vitest";

import type { PolicyFs } from "../../src/index.ts";
import { MAX_DECISION_ENTRIES, MAX_TREE_ENTRIES } from "../../src/paths/reach.ts";
import { call, engineOf, layer } from "./support.ts";

/** Folders `/w/d0`, `/w/d1`, … with more entries than one tree may have, and how many were listed. */
function wideDisk(): { readonly fs: PolicyFs; readonly listed: () => number } {
  let listed = 0;
  const folder = Array.from({ length: 500 }, (_, index) => ({ name: `f${index}`, kind: "folder" as const }));
  return {
    fs: {
      realpath: (path) => path.replace(/\/+$/, "") || "/",
      readlink: () => undefined,
      list: (path) => {
        if (path.split("/").length > 6) return [];
        listed += folder.length;
        return folder;
      },
      foldsCase: () => false,
    },
    listed: () => listed,
  };
}

const user = {
  fallback: { bash: "allow" },
  rules: [{ id: "pem", effect: "deny", path: { glob: "*.pem", action: "read" } }],
};

describe("what one call may make the engine look at", () => {
  it("is bounded over all trees together, and what was not seen asks", () => {
    const { fs, listed } = wideDisk();
    const engine = engineOf([layer("user", user)], { fs });
    const command = Array.from({ length: 60 }, (_, index) => `grep -r x d${index}`).join("; ");
    const decision = engine.evaluate(call("bash", { command }));
    expect(decision.effect).toBe("ask");
    expect(decision.rule).toBe("pem");
    // A folder is listed as a whole before its entries are counted.
    expect(listed()).toBeLessThan(MAX_DECISION_ENTRIES + 60 * 500);
  });

  it("is bounded over all globs together", () => {
    const { fs, listed } = wideDisk();
    const engine = engineOf([layer("user", user)], { fs });
    const command = `cat ${Array.from({ length: 60 }, (_, index) => `d${index}/*/*/x*`).join(" ")}`;
    expect(engine.evaluate(call("bash", { command })).effect).toBe("ask");
    // Each glob's folder is looked at once more, to know that it is one.
    expect(listed()).toBeLessThan(MAX_DECISION_ENTRIES + 2 * 60 * 500);
  });

  it("looks at the same tree once, whatever it is called", () => {
    const { fs, listed } = wideDisk();
    const engine = engineOf([layer("user", user)], { fs });
    engine.evaluate(call("bash", { command: "grep -r x d1; grep -r y ./d1; grep -r z /w/d1/" }));
    expect(listed()).toBeLessThanOrEqual(MAX_TREE_ENTRIES + 500);
  });

  it("is not used up for what is built in: a later tree that may hold a hook still asks", () => {
    const { fs } = wideDisk();
    const engine = engineOf([layer("user", user)], { fs });
    const rules = (command: string): readonly string[] =>
      engine.evaluate(call("bash", { command })).parts.map(({ rule }) => rule);
    const reads = Array.from({ length: 4 }, (_, index) => `grep -r x d${index}`).join("; ");
    expect(rules(`${reads}; rm -r .git`)).toContain("persist.startup");
    // By itself a large folder is no reason.
    expect(rules("rm -r .git")).not.toContain("persist.startup");
  });

  it("denies a call whose commands name more than can be judged", () => {
    const engine = engineOf([layer("user", user)]);
    const words = (count: number): string =>
      Array.from({ length: count }, (_, index) => `${index}.txt`).join(" ");
    expect(engine.evaluate(call("bash", { command: `cat ${words(3_000)}` })).effect).toBe("allow");
    expect(engine.evaluate(call("bash", { command: `cat ${words(3_001)}` })).rule).toBe("input.invalid");
  });
});
