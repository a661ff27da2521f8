export {
  nestedCalls,
  type AgentCalls,
  type NestedAgentEvent,
  type NestedCallsOptions,
} from "./nested-calls.ts";
