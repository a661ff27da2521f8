import type { RunnableTool } from "@nestbox/tool";
import { runTool } from "@nestbox/tool/testing";
import { beforeAll, describe, expect, test } from "vitest";

import { createReviewTools } from "../../src/node/index.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";
import { makeFolder } from "../support/repository.ts";

beforeAll(withProgramsOnPath);

const tools: readonly RunnableTool[] = createReviewTools({ dangers: [] });

// contract B12
describe("every tool can be tested without a model", () => {
  // contract B3
  test.each(tools.map((tool) => [tool.name, tool] as const))(
    "%s: called with an aborted signal, it rejects with AbortError",
    async (_name, tool) => {
      const run = await runTool(tool, {}, { tools, signal: AbortSignal.abort() });
      expect(run).toMatchObject({ kind: "aborted", error: { name: "AbortError" } });
    },
  );

  test.each(["run_checks", "failing_tests", "review_diff"])(
    "%s: cancelled while it runs, it rejects and leaves nothing running",
    async (name) => {
      const hang = "setInterval(() => {}, 1000);\n";
      using folder = makeFolder({
        "package.json": JSON.stringify({
          name: "a",
          private: true,
          scripts: { lint: "node hang.cjs", test: "node hang.cjs" },
        }),
        "hang.cjs": hang,
      });
      const tool = tools.find((found) => found.name === name);
      if (tool === undefined) throw new Error(name);
      const run = await runTool(tool, {}, { cwd: folder.path, tools, abortAfterUpdates: 1 });
      expect(run.kind).toBe("aborted");
    },
  );

  // contract B2
  test("arguments that nobody declared are refused", async () => {
    for (const tool of tools) {
      const run = await runTool(tool, { command: "rm -rf /" }, { tools });
      expect([tool.name, run.kind]).toEqual([tool.name, "invalid"]);
    }
  });

  // contract A9, B4
  test("each gives content, structured content and details, and nothing after the end", async () => {
    using repository = makeCart();
    for (const tool of tools) {
      const run = await runTool(tool, {}, { cwd: repository.path, tools });
      expect(run).toMatchObject({
        kind: "result",
        isError: false,
        text: expect.any(String),
        result: { structuredContent: expect.any(Object), details: expect.any(Object) },
      });
      expect(run.lateUpdates()).toBe(0);
    }
  });

  // contract B10
  test("errors name no path of the machine", async () => {
    using folder = makeFolder({ "a.txt": "" });
    for (const [name, args] of [
      ["collect_diff", {}],
      ["failing_tests", { report: "a.txt" }],
      ["failing_tests", { path: "nope" }],
    ] as const) {
      const tool = tools.find((found) => found.name === name);
      if (tool === undefined) throw new Error(name);
      const run = await runTool(tool, args, { cwd: folder.path });
      expect(run.kind === "error" ? run.message : "no error").not.toMatch(
        /no error|\/tmp|nestbox-review-test/,
      );
    }
  });
});
