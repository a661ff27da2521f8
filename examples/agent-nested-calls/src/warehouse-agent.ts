import { Agent, type StreamFn } from "@earendil-works/pi-agent-core";
import type { Model } from "@earendil-works/pi-ai";
import { nestedCalls, type AgentCalls } from "@nestbox/calls/agent";
import type { ScriptRunner } from "@nestbox/codemode";
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
    beforeToolCall: async ({ toolCall: { name }, args }) =>
      name === "order" && piecesOf(args) > 10
        ? { block: true, reason: "More than 10 pieces are ordered by a person. Order fewer, or ask for it." }
        : undefined,
  });
  const tools = [createScriptTool(runner), ...createWarehouseTools(warehouse)];
  return { agent, calls: nestedCalls(agent, { cwd: process.cwd(), tools }) };
}

/** What is not a number of pieces counts as too many. */
function piecesOf(args: unknown): number {
  const pieces = typeof args === "object" && args !== null && "pieces" in args ? args.pieces : undefined;
  return typeof pieces === "number" ? pieces : Number.POSITIVE_INFINITY;
}
