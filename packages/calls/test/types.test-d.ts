import type { ExtensionToolContext, ToolDefinition } from "@earendil-works/pi-coding-agent";
import {
  settled,
  type CallerOf,
  type HostCallOutcome,
  type HostCaller,
  type HostTool,
  type ToolCallContext,
  type ToolHost,
  type ToolLoadoutChanges,
} from "@nestbox/calls";
import { defineTool, type ToolCaller, type ToolCallOutcome } from "@nestbox/tool";
import { expectTypeOf, test } from "vitest";

test("whatever can call tools fits ToolCaller and the combinators", () => {
  expectTypeOf<HostCaller>().toExtend<ToolCaller>();
  expectTypeOf<ToolCallContext>().toExtend<ToolCaller>();
  // Pi's ctx, as it is.
  expectTypeOf<ExtensionToolContext>().toExtend<CallerOf<ToolCallOutcome>>();
  expectTypeOf<ReturnType<ToolHost["caller"]>>().toExtend<CallerOf<HostCallOutcome>>();
});

test("what defineTool makes is registered as it is, and its execute may take the context of this host", () => {
  const made = defineTool({
    name: "count",
    description: "Counts.",
    parameters: { type: "object", properties: { text: { type: "string" } } } as const,
    execute: async (_id, params, _signal, _onUpdate, context: ToolCallContext) => {
      await context.executeTool("other", params);
      return { content: [], details: {} };
    },
  });
  expectTypeOf(made).toExtend<HostTool>();
});

test("combinators keep the outcome's type and the number of calls", () => {
  const typed = (caller: HostCaller) => settled(caller, [{ name: "a" }, { name: "b" }]);
  expectTypeOf<Awaited<ReturnType<typeof typed>>>().toExtend<readonly [HostCallOutcome, HostCallOutcome]>();
});

test("a definition for Pi can be registered, its loadout hook included", () => {
  expectTypeOf<
    Pick<ToolDefinition, "name" | "exposure" | "namespace" | "annotations" | "executionMode">
  >().toExtend<Pick<HostTool, "name" | "exposure" | "namespace" | "annotations" | "executionMode">>();
  expectTypeOf<ReturnType<NonNullable<ToolDefinition["prepareLoadout"]>>>().toExtend<
    ToolLoadoutChanges | undefined
  >();
});
