import { Agent, type StreamFn } from "@earendil-works/pi-agent-core";
import type { Model } from "@earendil-works/pi-ai";
import { nestedCalls, type AgentCalls } from "@nestbox/calls/agent";
import type { ScriptRunner } from "@nestbox/codemode";
import { refusedOrder } from "./order-rule.ts";
import { createScriptTool } from "./script-tool.ts";
import { createWarehouseTools, type Warehouse } from "./warehouse-tools.ts";

export interface WarehouseAgentOptions {
  readonly model: Model<string>;
  readonly streamFn: StreamFn;
  readonly runner: ScriptRunner;
  readonly warehouse: Warehouse;
}

/** The low-level agent with what a session of the coding agent has around its tools. */
export function createWarehouseAgent({ model, streamFn, runner, warehouse }: WarehouseAgentOptions): {
  readonly agent: Agent;
  readonly calls: AgentCalls;
} {
  const agent = new Agent({
    initialState: { model, systemPrompt: "You keep a warehouse." },
    streamFn,
    // The agent's own hook. It is set before `nestedCalls`, so that it sees the calls of scripts too.
    beforeToolCall: async ({ toolCall: { name }, args }) => {
      const reason = refusedOrder(name, args);
      return reason === undefined ? undefined : { block: true, reason };
    },
  });
  const tools = [createScriptTool(runner), ...createWarehouseTools(warehouse)];
  return { agent, calls: nestedCalls(agent, { cwd: process.cwd(), tools }) };
}
