import type { ToolCaller, ToolResult } from "@nestbox/tool";
import { expect, test } from "vitest";
import type { ScriptEvent } from "../../src/types.ts";
import { fakeCaller } from "./fake-caller.ts";
import { harness } from "./harness.ts";

const { runner } = harness({ maxProcesses: 1 });

/** A caller whose tool tells how far it is, and tells more when it is done. */
function telling(updates: readonly ToolResult[]): ToolCaller {
  const base = fakeCaller([
    { name: "build", run: () => ({}) },
    { name: "other", run: () => ({}) },
  ]);
  return {
    tools: base.tools,
    async executeTool(name, args, options) {
      if (name === "build") for (const update of updates) options?.onUpdate?.(update);
      const outcome = await base.executeTool(name, args, options);
      if (name === "build")
        setTimeout(() => options?.onUpdate?.({ content: [{ type: "text", text: "late" }], details: {} }));
      return outcome;
    },
  };
}

const text = (...texts: readonly string[]): ToolResult => ({
  content: texts.map((part) => ({ type: "text" as const, text: part })),
  details: {},
});

// contract B4
test("what a tool tells of its progress is an event with its text and its call", async () => {
  const events: ScriptEvent[] = [];
  const outcome = await runner.run({
    code: "await tools.other({}); await tools.build({}); await new Promise((resolve) => setTimeout(resolve, 30)); return 1",
    caller: telling([
      text("1 of 2"),
      text("2 of 2", "nearly"),
      { details: {} } as never,
      text("x".repeat(5_000) + "end"),
    ]),
    onEvent: (event) => events.push(event),
  });
  expect(outcome).toMatchObject({ ok: true, output: [] });
  const progress = events.filter((event) => event.type === "progress");
  expect(progress.slice(0, 2)).toEqual([
    { type: "progress", callId: "", index: 1, text: "1 of 2" },
    { type: "progress", callId: "", index: 1, text: "2 of 2\nnearly" },
  ]);
  // Its last 2,000 characters; and nothing once the call is over.
  expect(progress.at(-1)?.text).toBe(`${"x".repeat(1_997)}end`);
  expect(progress.map((event) => event.text)).not.toContain("late");
  const running = events.findIndex((event) => event.type === "call" && event.call.name === "build");
  const done = events.findIndex(
    (event) => event.type === "call" && event.call.name === "build" && event.call.status === "ok",
  );
  const at = events.flatMap((event, index) => (event.type === "progress" ? [index] : []));
  expect(at.every((index) => running < index && index < done)).toBe(true);
});

test("a listener that throws at progress ends neither the call nor the script", async () => {
  const outcome = await runner.run({
    code: "return await tools.build({})",
    caller: telling([text("1 of 1")]),
    onEvent: (event) => {
      if (event.type === "progress") throw new Error("listener");
    },
  });
  expect(outcome).toMatchObject({ ok: true, calls: [{ name: "build", status: "ok" }] });
});
