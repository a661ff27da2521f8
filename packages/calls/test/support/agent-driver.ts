import { Agent, type AgentOptions } from "@earendil-works/pi-agent-core";
import { createModels } from "@earendil-works/pi-ai";
import {
  fauxAssistantMessage,
  fauxProvider,
  fauxToolCall,
  type FauxResponseStep,
} from "@earendil-works/pi-ai/providers/faux";
import { nestedCalls, type AgentCalls, type NestedCallsOptions } from "@nestbox/calls/agent";
import type { ConformanceDriver, Declaration } from "@nestbox/calls/conformance";
import { declarationsOf } from "./declarations.ts";
import { resultsInOrder } from "./results-in-order.ts";
import type { HostEvent } from "@nestbox/calls";

export interface ScriptedAgent {
  readonly agent: Agent;
  readonly calls: AgentCalls;
  /** How many requests the agent has made. */
  readonly requests: () => number;
  /** The names of the tools that the last request declared. */
  readonly declared: () => readonly string[];
}

/** An `Agent` with a scripted model and nested calls. */
export function scriptedAgent(
  responses: FauxResponseStep[],
  options: Partial<NestedCallsOptions> = {},
  agentOptions: Partial<AgentOptions> = {},
): ScriptedAgent {
  const faux = fauxProvider();
  faux.setResponses(responses);
  const models = createModels();
  models.setProvider(faux.provider);
  const agent = new Agent({
    ...agentOptions,
    initialState: { model: faux.getModel(), ...agentOptions.initialState },
    streamFn: (model, context, streamOptions) => models.streamSimple(model, context, streamOptions),
  });
  const calls = nestedCalls(agent, { cwd: "/project", ...options });
  return {
    agent,
    calls,
    requests: () => faux.state.callCount,
    declared: () => agent.state.tools.map(({ name }) => name),
  };
}

/** The low-level agent with `nestedCalls`, in the conformance suite. */
export const agentDriver: ConformanceDriver = {
  name: "Agent of pi-agent-core",
  side: "nestbox",
  async run({ tools, handlers, gate, calls: rootCalls, onEvent, onReady }) {
    const toolCalls = rootCalls.map(({ id, name, args }) => fauxToolCall(name, { ...args }, { id }));
    let declared: readonly Declaration[] = [];
    const { agent, calls, requests } = scriptedAgent(
      [
        ({ messages }) => {
          declared = declarationsOf(messages);
          return fauxAssistantMessage(toolCalls, { stopReason: "toolUse" });
        },
        fauxAssistantMessage("done"),
      ],
      { tools, handlers, ...(gate === undefined ? {} : { gate }) },
    );
    onReady({
      register: (tool) => calls.host.register(tool),
      getActiveTools: () => calls.host.getActiveTools(),
      setActiveTools: (names) => calls.host.setActiveTools(names),
      abort: () => agent.abort(),
    });
    calls.subscribe((event) => {
      if (event.type.startsWith("tool_execution_")) onEvent(event as HostEvent);
    });
    await agent.prompt("go");
    await calls.dispose();
    return {
      results: resultsInOrder(rootCalls, agent.state.messages),
      declared,
      terminated: requests() === 1,
    };
  },
};
