// Checked by tsc: a line that no longer holds fails the type check.
import type { Agent, AgentTool } from "@earendil-works/pi-agent-core";
import type {
  CreateAgentSessionOptions,
  ExtensionToolContext,
  ToolDefinition,
} from "@earendil-works/pi-coding-agent";
import { arr, num, obj, oneOf, opt, str } from "@earendil-works/pi-schema";
import {
  dataResult,
  defineTool,
  textResult,
  type RunnableTool,
  type ToolContext,
  type ToolSpec,
} from "@nestbox/tool";
import { definePiTool, toAgentTools, toCustomTools, type PiToolSpec } from "@nestbox/tool/pi";
import { runTool } from "@nestbox/tool/testing";
import Type from "typebox";

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- how tsc compares two types exactly
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <T extends true>(value?: T): T | undefined => value;

// Every field of Pi's definition can stand in ours: this line fails when Pi adds one (contract B1).
holds<Equal<Exclude<keyof ToolDefinition, keyof ToolSpec<object>>, never>>();
holds<Equal<Exclude<keyof ToolDefinition, keyof PiToolSpec<object>>, never>>();
// And the low-level agent's.
holds<Equal<Exclude<keyof AgentTool, keyof ToolSpec<object>>, never>>();
// What Pi's definition does not have, only the low-level agent's has.
holds<Equal<Exclude<keyof PiToolSpec<object>, keyof ToolDefinition>, "replay">>();

// Parameters, structured content and details are inferred: pi-schema's builders.
const built = defineTool({
  name: "built",
  description: "",
  parameters: obj({ path: str(), limit: opt(num()) }),
  outputSchema: obj({ lines: arr(str()) }),
  async execute(_id, params, _signal, onUpdate, context) {
    holds<Equal<typeof params, { path: string; limit?: number }>>();
    holds<Equal<typeof context, ToolContext | undefined>>();
    onUpdate?.(textResult("reading"));
    return dataResult({ lines: [params.path] }, { details: { read: 1 } });
  },
});
const run = await runTool(built, {});
if (run.kind === "result") {
  holds<Equal<typeof run.structured, { lines: string[] } | undefined>>();
  holds<Equal<typeof run.result.details, { read: number }>>();
}

// TypeBox.
defineTool({
  name: "typebox",
  description: "",
  parameters: Type.Object({ city: Type.String(), days: Type.Optional(Type.Integer()) }),
  async execute(_id, params) {
    holds<Equal<typeof params, { city: string; days?: number }>>();
    return textResult("");
  },
});

// A wrong structured content does not compile, nor does a wrong name of a field.
defineTool({
  name: "wrong",
  description: "",
  parameters: obj({}),
  outputSchema: obj({ n: num() }),
  // @ts-expect-error n is a number
  execute: async () => dataResult({ n: "1" }),
});

// A literal needs no cast.
defineTool({
  name: "literal",
  description: "",
  parameters: obj({}),
  outputSchema: obj({ state: oneOf(["on", "off"]), list: arr(str()) }),
  execute: async () => dataResult({ state: "on", list: ["a"] as readonly string[] }),
});

// A context of one's own.
const piOnly = definePiTool({
  name: "pi_only",
  description: "",
  parameters: obj({ city: str() }),
  async execute(_id, _params, _signal, _onUpdate, context) {
    holds<Equal<typeof context, ExtensionToolContext>>();
    return textResult(context.cwd);
  },
  renderCall: (args, theme, context) => {
    holds<Equal<typeof args, { city: string }>>();
    context.invalidate();
    return { render: () => [theme.bold(args.city)], invalidate: () => {} };
  },
  prepareLoadout: (loadout) => ({ hiddenDeclarations: loadout.declared.map(({ name }) => name) }),
});

// All of them are tools for every host.
const tools: readonly RunnableTool[] = [built, piOnly];
const custom: NonNullable<CreateAgentSessionOptions["customTools"]> = toCustomTools(tools);
declare const agent: Agent;
agent.state.tools = toAgentTools(tools);
void custom;
