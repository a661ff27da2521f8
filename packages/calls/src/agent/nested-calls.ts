import type { Agent, AgentEvent, AgentTool } from "@earendil-works/pi-agent-core";
import type { CallDecision, ToolSource } from "@nestbox/tool";
import { hostOn, summaryOf, type ToolHost } from "../host.ts";
import { createHostParts, type ToolHostOptions } from "../host-parts.ts";
import type { HostEvent } from "../events.ts";
import type { HostTool } from "../registry.ts";
import { followTools } from "./follow-tools.ts";
import { hideDeclarations } from "./hide-declarations.ts";
import { installHooks } from "./hooks.ts";
import { createRootCalls } from "./root-calls.ts";

export type NestedCallsOptions = Omit<ToolHostOptions, "toolExecution"> & {
  readonly tools?: readonly HostTool[];
  /** Where `tools` come from, for the gate. Default `{ kind: "sdk" }`. */
  readonly source?: ToolSource;
};

/** The agent's own events, and those of the nested calls between them, each with `parentToolCallId`. */
export type NestedAgentEvent = AgentEvent | HostEvent;

type AgentEnd = Extract<AgentEvent, { type: "tool_execution_end" }>;

/** What an `Agent` has gained. */
export interface AgentCalls {
  /**
   * The tools with their exposures. What is registered or activated here is declared to the model from its next turn
   * on; `host.call` runs a tool from a command or a test, past the model and not past the hooks and the gate.
   */
  readonly host: ToolHost;
  /** The agent's events and the nested ones in one stream. Returns how to unsubscribe. */
  subscribe(listener: (event: NestedAgentEvent) => void): () => void;
  /** Cancels nested calls and gives the agent its tools and hooks back. */
  dispose(): Promise<void>;
}

/**
 * Gives an `Agent` of pi-agent-core what a coding-agent session has: exposures, callable tools that are not declared,
 * `executeTool` in the fifth argument of `execute`, the `nestedCalls` record and the rolled-up usage on result
 * messages, and a gate in front of root and nested calls. The agent's `beforeToolCall` and `afterToolCall` see nested
 * calls too; tools that the agent already has are registered as `direct`.
 */
export function nestedCalls(agent: Agent, options: NestedCallsOptions): AgentCalls {
  const parts = createHostParts({ ...options, toolExecution: () => agent.toolExecution });
  const { core, listeners, cancellation } = parts;
  const plain = hostOn(parts);
  const before = agent.state.tools;

  const rootCalls = createRootCalls(parts);
  const restoreHooks = installHooks(agent, core, rootCalls);
  const restoreContext = hideDeclarations(agent, () => {
    const names = core.registry.shown().flatMap(({ view, hidden }) => (hidden ? [view.name] : []));
    return new Set(names);
  });

  const stopFollowing = followTools(agent);

  const declare = (): void => {
    agent.state.tools = core.registry.shown().flatMap(({ view: { name, description } }) => {
      const registration = core.registry.get(name);
      return registration === undefined ? [] : [rootCalls.wrap(registration, description)];
    });
  };
  const host: ToolHost = {
    ...plain,
    register(tool, registerOptions) {
      plain.register(tool, registerOptions);
      declare();
    },
    setActiveTools(names) {
      plain.setActiveTools(names);
      declare();
    },
  };
  // The shape of an AgentTool is that of a RunnableTool with four arguments.
  for (const tool of before)
    core.registry.register(tool as AgentTool & HostTool, options.source ?? { kind: "sdk" });
  for (const tool of options.tools ?? []) core.registry.register(tool, options.source ?? { kind: "sdk" });
  declare();

  const watchers = new Set<(event: NestedAgentEvent) => void>();
  const tell = (event: NestedAgentEvent): void => {
    for (const watcher of watchers) {
      try {
        watcher(event);
      } catch {
        // Whoever watches does not take part.
      }
    }
  };
  listeners.add(tell);

  const stopWatching = agent.subscribe((event) => {
    if (event.type === "message_start" && event.message.role === "toolResult") {
      const { message } = event;
      const family = rootCalls.take(message.toolCallId);
      // The message that is started here is the one that goes into the transcript.
      if (family !== undefined) Object.assign(message, summaryOf(family, message.usage));
    }
    if (event.type === "agent_end") rootCalls.clear();
    tell(
      event.type === "tool_execution_end"
        ? withDecision(event, rootCalls.decisionOf(event.toolCallId))
        : event,
    );
  });

  return {
    host,
    subscribe(listener) {
      const own = (event: NestedAgentEvent): void => listener(event);
      watchers.add(own);
      return () => void watchers.delete(own);
    },
    async dispose() {
      await plain.close();
      cancellation.release();
      stopWatching();
      listeners.delete(tell);
      restoreHooks();
      restoreContext();
      stopFollowing();
      agent.state.tools = before;
    },
  };
}

function withDecision(event: AgentEnd, decision: CallDecision | undefined): NestedAgentEvent {
  return decision === undefined ? event : { ...event, decision };
}
