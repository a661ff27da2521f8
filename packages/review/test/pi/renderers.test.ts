import type { Theme, ToolRenderers } from "@earendil-works/pi-coding-agent";
import { runTool } from "@nestbox/tool/testing";
import type { RunnableTool } from "@nestbox/tool";
import { beforeAll, describe, expect, test } from "vitest";

import { createReviewTools } from "../../src/node/index.ts";
import { reviewRenderers, withReviewRenderers } from "../../src/pi/index.ts";
import { makeCart, withProgramsOnPath } from "../support/cart.ts";

beforeAll(withProgramsOnPath);

/** A theme that marks its colours, so that they can be seen and terminal sequences cannot hide. */
const theme = {
  fg: (color: string, text: string) => `<${color}>${text}</>`,
  bold: (text: string) => text,
} as unknown as Theme;
const none = (): ToolRenderers | undefined => undefined;

function drawResult(
  name: string,
  result: { content: unknown[]; details: unknown },
  expanded = false,
): string {
  const renderers = reviewRenderers(name, none);
  const component = renderers?.renderResult?.(
    result as never,
    { expanded, isPartial: false },
    theme,
    {} as never,
  );
  return component?.render(400).join("\n") ?? "";
}

function drawCall(name: string, args: unknown): string {
  return (
    reviewRenderers(name, none)
      ?.renderCall?.(args, theme, {} as never)
      .render(400)
      .join("\n") ?? ""
  );
}

// contract A22
describe("the review tools ship how they look", () => {
  test("each result is drawn from its details, more of it when expanded", async () => {
    using repository = makeCart();
    const tools: readonly RunnableTool[] = createReviewTools({
      dangers: [
        {
          id: "git.force-push",
          effect: "deny",
          title: "force push",
          reason: "it rewrites history",
          examples: [],
          layer: "built-in",
        },
      ],
    });
    const expected: Record<string, RegExp> = {
      run_checks: /typecheck failed \(\d\).*src\/cart\.ts<\/>|src\/cart\.ts:2/s,
      failing_tests: /failed: 0 passed, 1 failed.*three apples/s,
      collect_diff: /1 changes.*src\/cart\.ts.*\+1/s,
      dangerous_commands: /deny<\/> git\.force-push/,
      review_diff: /findings: .*src\/cart\.ts:2.*TS2322/s,
    };
    for (const tool of tools) {
      const run = await runTool(tool, {}, { cwd: repository.path, tools });
      if (run.kind !== "result") throw new Error(run.kind);
      const collapsed = drawResult(tool.name, run.result);
      expect(collapsed).toMatch(expected[tool.name] ?? /^$/);
      expect(drawResult(tool.name, run.result, true).length).toBeGreaterThanOrEqual(collapsed.length);
    }
  });

  test("a result without details of a known form is drawn from its text, as is an error", () => {
    for (const details of [undefined, null, {}, { steps: "many" }, 7]) {
      expect(
        drawResult("run_checks", { content: [{ type: "text", text: "line one\nline two" }], details }),
      ).toContain("line two");
    }
    expect(drawResult("review_diff", { content: [], details: {} })).toBe("");
  });

  test("what a model wrote as arguments is drawn on one line without terminal sequences, complete or not", () => {
    expect(drawCall("collect_diff", { base: "main\u001B]0;owned\u0007\nx", paths: ["a"] })).toMatch(
      /collect_diff<\/> <muted>base: main x, paths: \["a"\]/,
    );
    for (const args of [undefined, null, "x", 7, { base: "y".repeat(10_000) }])
      expect(drawCall("run_checks", args).length).toBeLessThan(500);
  });

  test("other tools are left to the next resolver", () => {
    const other: ToolRenderers = { renderShell: "self" };
    expect(reviewRenderers("bash", () => other)).toBe(other);
    expect(reviewRenderers("toString", none)).toBeUndefined();
    expect(reviewRenderers("run_checks", () => other)).not.toBe(other);
  });

  test("definitions can carry their renderers", () => {
    for (const tool of withReviewRenderers(createReviewTools({ dangers: [] }))) {
      expect(tool.renderCall).toBeTypeOf("function");
      expect(tool.renderResult).toBeTypeOf("function");
      expect(tool.execute).toBeTypeOf("function");
    }
  });
});
