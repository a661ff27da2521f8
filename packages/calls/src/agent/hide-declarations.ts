import type { Agent, AgentMessage } from "@earendil-works/pi-agent-core";

/**
 * Leaves declarations out of what a request carries. The transcript keeps them, and the tools stay active: the model
 * may call one that it knows of from elsewhere. Returns how to undo it.
 */
export function hideDeclarations(agent: Agent, hiddenNames: () => ReadonlySet<string>): () => void {
  const { transformContext } = agent;
  agent.transformContext = async (messages, signal) => {
    const transformed = transformContext === undefined ? messages : await transformContext(messages, signal);
    const hidden = hiddenNames();
    return hidden.size === 0 ? transformed : transformed.map((message) => without(message, hidden));
  };
  return () => {
    agent.transformContext = transformContext;
  };
}

function without(message: AgentMessage, hidden: ReadonlySet<string>): AgentMessage {
  if (message.role !== "system") return message;
  const { toolsAdded = [], toolsRemoved = [], ...rest } = message;
  const added = toolsAdded.filter(({ name }) => !hidden.has(name));
  const removed = toolsRemoved.filter(({ name }) => !hidden.has(name));
  return {
    ...rest,
    ...(added.length === 0 ? {} : { toolsAdded: added }),
    ...(removed.length === 0 ? {} : { toolsRemoved: removed }),
  };
}
