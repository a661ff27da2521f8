import { initTheme, type Theme } from "@earendil-works/pi-coding-agent";
import { createNestbox } from "@nestbox/pi";
import { scriptedPiSession } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";

import { quietPolicy } from "./support/quiet.ts";

// Draws text as it is; colours are the theme's business.
const plain = { fg: (_color: string, text: string) => text, bold: (text: string) => text };

describe("how the review tools look", () => {
  // contract A22
  it("draws a call and its result with the package's own renderers", async () => {
    initTheme("dark");
    await using pi = await scriptedPiSession({ extensions: [createNestbox({ policy: quietPolicy() })] });
    const definition = pi.session.getToolDefinition("run_checks");
    const { renderCall, renderResult } = definition ?? {};
    if (renderCall === undefined || renderResult === undefined) throw new Error("no renderers");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two methods that renderers use
    const theme = plain as unknown as Theme;
    const args = { skipTests: true };
    const state = { args, state: {}, toolCallId: "C", invalidate: () => {}, lastComponent: undefined };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- renderers of text read none of the rest
    const context = state as unknown as Parameters<typeof renderCall>[2];
    expect(renderCall(args, theme, context).render(60).join("\n")).toContain("run_checks skipTests: true");
    const step = {
      id: "types",
      kind: "typecheck",
      folder: ".",
      command: "tsc --noEmit",
      status: "passed",
      ok: true,
      exitCode: 0,
      durationMs: 1200,
      output: "",
      truncated: false,
      problems: [],
      problemsOmitted: 0,
    };
    const result = {
      content: [{ type: "text" as const, text: "fallback text" }],
      details: { ok: true, steps: [step], skipped: [] },
    };
    const drawn = renderResult(result, { expanded: false, isPartial: false }, theme, context);
    const lines = drawn.render(60).join("\n");
    expect(lines).toContain("✓ types tsc --noEmit 1.2 s");
  });
});
