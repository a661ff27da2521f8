import { num, obj } from "@earendil-works/pi-schema";
import { dataResult, defineTool, textResult, type RunnableTool } from "@nestbox/tool";
import { toolFaults } from "@nestbox/tool/testing";
import { describe, expect, it } from "vitest";
import { countLines } from "./readme/count-lines.ts";

const plain: RunnableTool = {
  name: "plain",
  description: "Does nothing.",
  parameters: obj({}),
  outputSchema: obj({ n: num() }),
  execute: async (_id, _params, signal) => {
    signal?.throwIfAborted();
    return dataResult({ n: 1 });
  },
};

describe("the promises of a tool", () => {
  // contract B12
  it("are kept by a good one, made with defineTool or by hand", async () => {
    expect(await toolFaults(plain, {})).toEqual([]);
    expect(
      await toolFaults(countLines, { path: "count-lines.ts" }, { cwd: `${import.meta.dirname}/readme` }),
    ).toEqual([]);
    const progressing = defineTool({
      name: "progressing",
      description: "Tells progress.",
      parameters: obj({}),
      async execute(_id, _params, _signal, onUpdate) {
        onUpdate?.(textResult("half"));
        return textResult("done");
      },
    });
    expect(await toolFaults(progressing, {})).toEqual([]);
  });

  it.each<[string, Partial<RunnableTool>, RegExp]>([
    ["a name", { name: "my tool" }, /Use "my_tool"/],
    ["a description", { description: " " }, /description is empty/],
    ["parameters that are no object", { parameters: { type: "string" } }, /type is "object"/],
    [
      "a schema that does not compile",
      { outputSchema: { type: "string", pattern: "(" } },
      /^outputSchema: .*cannot be compiled/,
    ],
    [
      "annotations that contradict",
      { annotations: { readOnlyHint: true, destructiveHint: true } },
      /read-only destroys/,
    ],
    ["cancellation", { execute: async () => dataResult({ n: 1 }) }, /does not reject with AbortError/],
    ["the output", { execute: async () => dataResult({ n: "1" }) }, /n: expected number, got string/],
    ["plain JSON", { execute: async () => dataResult({ n: new Date(0) }) as never }, /n is a Date/],
    [
      "complete progress",
      {
        execute: async (_id, _params, _signal, onUpdate) => {
          onUpdate?.({ content: [] } as never);
          return dataResult({ n: 1 });
        },
      },
      /Update 1 is not complete/,
    ],
    [
      "silence after the end",
      {
        execute: async (_id, _params, _signal, onUpdate) => {
          queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => onUpdate?.(textResult("late")))));
          return dataResult({ n: 1 });
        },
      },
      /after its end/,
    ],
    ["a message", { execute: () => Promise.reject(new Error("")) }, /without a message/],
    [
      "valid arguments in the test",
      { parameters: obj({ needed: num() }) },
      /The arguments are not valid: .*needed/s,
    ],
  ])("are told where a tool breaks them: %s", async (_name, part, fault) => {
    expect((await toolFaults({ ...plain, ...part }, {})).join("\n")).toMatch(fault);
  });
});
