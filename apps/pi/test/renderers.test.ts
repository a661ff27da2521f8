import { stripVTControlCharacters } from "node:util";

import {
  CustomMessageComponent,
  initTheme,
  ToolExecutionComponent,
  type Theme,
} from "@earendil-works/pi-coding-agent";
import { createNestbox } from "@nestbox/pi";
import { call, scriptedPiSession, type ScriptedPiSession } from "@nestbox/tool/testing";
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

const noisy = (error: string): string =>
  `for (let n = 1; n <= 40; n += 1) console.log("line " + n);\ntext("a".repeat(3000));\n${error}`;

/** The row of the last call as Pi's terminal draws it. */
function row(pi: ScriptedPiSession, expanded: boolean): string {
  const result = pi.toolResults().at(-1);
  if (result === undefined) throw new Error("no result");
  const { extensionRunner } = pi.session;
  const name = result.toolName;
  const definition = extensionRunner.resolveToolRenderers(name, () =>
    extensionRunner.getToolDefinition(name),
  );
  // Of the terminal only the request to draw is used.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const ui = { requestRender: () => undefined } as never;
  const component = new ToolExecutionComponent(name, "c", { code: "" }, {}, definition, ui, pi.cwd);
  component.updateResult({ ...result, isError: result.isError });
  component.setExpanded(expanded);
  return stripVTControlCharacters(component.render(100).join("\n"));
}

describe("a script that failed after it had put something out", () => {
  // contract A22
  it("shows its error in the collapsed row, and everything in its order when it is expanded", async () => {
    initTheme("dark");
    await using pi = await scriptedPiSession({ extensions: [createNestbox({ policy: quietPolicy() })] });
    const code = noisy('throw new RangeError("too many carts")');
    await pi.prompt("go", [call("codemode", { code }, "C"), "done"]);
    const collapsed = row(pi, false);
    expect(collapsed).toContain("RangeError: too many carts");
    expect(collapsed).toContain("more lines");
    const expanded = row(pi, true);
    expect(expanded.indexOf("too many carts")).toBeGreaterThan(expanded.indexOf("line 40"));
    expect(expanded.split("too many carts")).toHaveLength(2);
    // What the model reads is as it was.
    expect(pi.resultText("C").indexOf("too many carts")).toBeGreaterThan(
      pi.resultText("C").indexOf("line 40"),
    );
  });

  it("shows it where the output was cut and there is an image", async () => {
    initTheme("dark");
    await using pi = await scriptedPiSession({ extensions: [createNestbox({ policy: quietPolicy() })] });
    const image = 'image("data:image/png;base64,iVBORw0KGgo=");';
    const code = noisy(`text("x".repeat(90_000)); ${image} text("Script error:"); throw new Error("last")`);
    await pi.prompt("go", [call("codemode", { code }, "C"), "done"]);
    expect(pi.resultText("C")).toContain("truncated");
    expect(row(pi, false)).toMatch(/Script error:\s+Error: last/);
  });

  it("is left alone when it succeeded, whatever it says", async () => {
    initTheme("dark");
    await using pi = await scriptedPiSession({ extensions: [createNestbox({ policy: quietPolicy() })] });
    const code = noisy('text("Script error:\\nnone"); return 1');
    await pi.prompt("go", [call("codemode", { code }, "C"), "done"]);
    expect(row(pi, false)).not.toContain("Script error");
  });

  it("shows it when it was run by hand", async () => {
    initTheme("dark");
    await using pi = await scriptedPiSession({
      ui: {},
      extensions: [createNestbox({ policy: quietPolicy() })],
    });
    await pi.prompt(`/codemode ${noisy('throw new RangeError("too many carts")')}`, []);
    const message = pi.session.messages.findLast(({ role }) => role === "custom");
    if (message?.role !== "custom") throw new Error("no message");
    const renderer = pi.session.extensionRunner.getMessageRenderer("nestbox-run");
    const drawn = new CustomMessageComponent(message, renderer);
    const lines = (): string => stripVTControlCharacters(drawn.render(100).join("\n"));
    expect(lines()).toMatch(/^\s*\/codemode[^]*Script failed[^]*RangeError: too many carts[^]*more lines/);
    drawn.setExpanded(true);
    expect(lines().indexOf("too many carts")).toBeGreaterThan(lines().indexOf("line 40"));
  });
});
