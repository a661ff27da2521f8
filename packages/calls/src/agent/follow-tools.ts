import type { Agent, AgentTool } from "@earendil-works/pi-agent-core";

/**
 * Lets a tool that was activated while the agent runs be declared from its next turn on, as in a session. The loop
 * works on the tools it began with, unless a turn is prepared with others. Returns how to undo it.
 */
export function followTools(agent: Agent): () => void {
  const { prepareNextTurn, prepareNextTurnWithContext } = agent;
  agent.prepareNextTurnWithContext = async (turn, signal) => {
    // The agent asks the first of these that is set.
    const update =
      prepareNextTurnWithContext === undefined
        ? await prepareNextTurn?.(signal)
        : await prepareNextTurnWithContext(turn, signal);
    const context = update?.context ?? turn.context;
    const { tools } = agent.state;
    return sameTools(context.tools ?? [], tools) ? update : { ...update, context: { ...context, tools } };
  };
  return () => {
    agent.prepareNextTurnWithContext = prepareNextTurnWithContext;
  };
}

function sameTools(first: readonly AgentTool[], second: readonly AgentTool[]): boolean {
  return first.length === second.length && first.every((tool, index) => tool === second[index]);
}
