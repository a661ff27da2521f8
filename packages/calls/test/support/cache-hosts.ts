import type { ToolDefinition } from "@earendil-works/pi-coding-agent";
import { fauxAssistantMessage, fauxToolCall } from "@earendil-works/pi-ai/providers/faux";
import {
  cached,
  createSessionCache,
  type CallerOf,
  type HostTool,
  type SessionCache,
  type ToolCallContext,
} from "@nestbox/calls";
import type { ToolCallOutcome } from "@nestbox/tool";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { scriptedAgent } from "./agent-driver.ts";
import { hostWith, tool, type Body } from "./tools.ts";

/** How a tool gets its cached caller in one kind of host. */
export type Reading = (ctx: ToolCallContext, callId: string) => CallerOf<ToolCallOutcome>;

export interface CacheHost {
  readonly name: string;
  /** One message of the model with a call of each named tool, all at once. */
  readonly run: (
    makeTools: (reading: Reading) => readonly HostTool[],
    roots: readonly string[],
  ) => Promise<void>;
}

const readOnly = { readOnlyHint: true };

/** A tool that changes nothing by itself. */
export function reader(name: string, body: Body): HostTool {
  return tool(name, body, { annotations: readOnly });
}

export const cacheHosts: readonly CacheHost[] = [
  {
    name: "a ToolHost",
    async run(makeTools, roots) {
      const { host } = hostWith(makeTools((ctx) => cached(ctx)));
      await host.batch(roots.map((name) => ({ name, args: {} })));
      await host.close();
    },
  },
  {
    name: "a low-level agent with nestedCalls",
    async run(makeTools, roots) {
      const calls = roots.map((name, index) => fauxToolCall(name, {}, { id: `call-${index}` }));
      const made = scriptedAgent(
        [fauxAssistantMessage(calls, { stopReason: "toolUse" }), fauxAssistantMessage("done")],
        { tools: makeTools((ctx) => cached(ctx)) },
      );
      await made.agent.prompt("go");
      await made.calls.dispose();
    },
  },
  {
    name: "a Pi session",
    async run(makeTools, roots) {
      let cache: SessionCache | undefined;
      const tools = makeTools((ctx, callId) => {
        if (cache === undefined) throw new Error("no cache");
        return cache.cached(ctx, callId);
      });
      await using pi = await scriptedPiSession({
        noTools: "builtin",
        extensions: [
          (api) => {
            // The shape of a tool is Pi's own; only the types of the schemas differ.
            for (const one of tools) api.registerTool(one as unknown as ToolDefinition);
            cache = createSessionCache({
              changesNothing: (name) =>
                api.getAllTools().find((one) => one.name === name)?.annotations?.readOnlyHint === true,
            });
            api.on("tool_execution_start", cache.onEvent);
            api.on("tool_execution_end", cache.onEvent);
            api.on("agent_end", cache.onEvent);
          },
        ],
      });
      await pi.prompt("go", [roots.map((name) => call(name)), "Done."]);
    },
  },
];
