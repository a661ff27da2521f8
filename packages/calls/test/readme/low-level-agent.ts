import type { HostTool } from "@nestbox/calls";
import type { NestedAgentEvent } from "@nestbox/calls/agent";
import type { StreamFn } from "@earendil-works/pi-agent-core";
import type { CallGate } from "@nestbox/tool";

declare const streamFn: StreamFn;
declare const tools: readonly HostTool[];
declare const gate: CallGate;
declare const events: NestedAgentEvent[];

// README
import { Agent } from "@earendil-works/pi-agent-core";
import { nestedCalls } from "@nestbox/calls/agent";

const agent = new Agent({ streamFn });
const calls = nestedCalls(agent, { cwd: process.cwd(), tools, gate });
calls.subscribe((event) => events.push(event)); // nested ones too, with parentToolCallId
await agent.prompt("Review my changes.");
// README
