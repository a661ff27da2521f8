import { Agent, type AgentOptions } from "@earendil-works/pi-agent-core";
import type { PolicyGate } from "@nestbox/policy";
import { createAgentGate } from "@nestbox/policy/agent";

/** The same verdicts in the low-level agent. */
export function guardedAgent(options: AgentOptions, gate: PolicyGate, cwd: string): Agent {
  return new Agent({ ...options, ...createAgentGate({ gate, cwd }) });
}
