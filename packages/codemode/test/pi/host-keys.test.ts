import { initTheme, type Theme, type ToolRenderers } from "@earendil-works/pi-coding-agent";
import { beforeAll, describe, expect, it } from "vitest";
import { builtinRenderers } from "../../src/pi/builtin-renderers.ts";

// The copy of Pi that this process has loaded knows no key of the application, as in the shipped command line.
beforeAll(() => initTheme("dark"));

const plain = { fg: (_color: string, text: string) => text, bold: (text: string) => text };
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the two methods that renderers use
const theme = plain as unknown as Theme;

const ansi = /\u001b\[[0-9;]*m/g;
const visible = (line: string): string => line.replace(ansi, "");

type Context = Parameters<NonNullable<ToolRenderers["renderCall"]>>[2];

function contextOf(key: string, more: object = {}): Context {
  const context = {
    args: {},
    state: {},
    toolCallId: "C",
    invalidate: () => undefined,
    lastComponent: undefined,
    expanded: false,
    isPartial: false,
    isError: false,
    showImages: false,
    durationMs: 10,
    keyText: () => key,
    keyHint: (_id: string, words: string) => `${key} ${words}`,
    ...more,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- renderers of text read none of the rest
  return context as unknown as Context;
}

const { renderCall, renderResult } = builtinRenderers();
if (renderCall === undefined || renderResult === undefined) throw new Error("no renderers");
const code = Array.from({ length: 30 }, (_, n) => `text(${n});`).join("\n");
const result = {
  content: [{ type: "text" as const, text: Array.from({ length: 30 }, (_, n) => `line ${n}`).join("\n") }],
  details: {
    calls: Array.from({ length: 12 }, (_, n) => ({ id: `C/${n}`, name: "read", args: "{}", status: "ok" })),
  },
};
const draw = (key: string, width: number, last?: object) => ({
  call: renderCall({ code }, theme, contextOf(key, last)),
  result: renderResult(result, { expanded: false, isPartial: false }, theme, contextOf(key, last)),
  width,
});

describe("the hint how to expand", () => {
  it("names the key that the host has bound, of the script, of earlier calls and of the output", () => {
    const { call, result: drawn } = draw("ctrl+o", 80);
    const hints = [call, drawn].flatMap((component) =>
      component
        .render(80)
        .map(visible)
        .filter((line) => line.includes("to expand"))
        .map((line) => line.trim()),
    );
    expect(hints).toEqual([
      "... (20 more lines, ctrl+o to expand)",
      "... (4 earlier calls, ctrl+o to expand)",
      "... (25 more lines, ctrl+o to expand)",
    ]);
  });

  it("makes no line wider than it may be, at any width", () => {
    const { call, result: drawn } = draw("shift+ctrl+alt+o", 80);
    for (let width = 1; width <= 100; width++)
      for (const component of [call, drawn])
        for (const line of component.render(width)) expect(visible(line).length).toBeLessThanOrEqual(width);
  });

  it("is drawn again into the renderers' own component", () => {
    const first = draw("ctrl+o", 80);
    const again = renderCall({ code: "return 1" }, theme, contextOf("ctrl+o", { lastComponent: first.call }));
    const lines = again.render(80).map((line) => visible(line).trim());
    expect(lines).toEqual(["codemode", "return 1"]);
    expect(first.call.render(80).map((line) => visible(line).trim())).toEqual(lines);
  });

  it("stays as it is where the host has bound no key", () => {
    const { call } = draw("", 80);
    expect(call.render(80).map(visible).join("\n")).toContain("... (20 more lines,  to expand)");
  });
});
