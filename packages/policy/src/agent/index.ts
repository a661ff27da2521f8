export { createAgentGate, type AgentGate, type AgentGateOptions } from "./agent-gate.ts";
