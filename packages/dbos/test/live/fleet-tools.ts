import type { CallerFor, Parking } from "@nestbox/codemode/durable";
import type { CallableTool, JsonObject, ToolCallOutcome } from "@nestbox/tool";

export interface FleetToolsOptions {
  readonly parking: Parking;
  /** Told of every effect, right when it happens. */
  readonly onEffect: (text: string) => void;
  /** Part of a description: another one is another tool. */
  readonly version?: string;
}

/** `effect` has an effect after `before` ms and answers `after` ms later; `deploy` too, once a person has said yes. */
export function fleetTools({ parking, onEffect, version = "1" }: FleetToolsOptions): CallerFor {
  async function execute(
    callId: string,
    name: string,
    args: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<ToolCallOutcome> {
    const toolCall = { type: "toolCall" as const, id: `${callId}/1`, name, arguments: args };
    if (name === "deploy") {
      const fingerprint = JSON.stringify(args);
      const item = {
        callId: toolCall.id,
        toolName: name,
        lines: [fingerprint],
        chain: ["script", name],
        folder: "/project",
        reason: "It deploys",
        rule: "fleet.ask",
        layer: "test",
        fingerprint,
      };
      const answer = await parking.approver.ask({ item }, { signal: signal ?? new AbortController().signal });
      if (answer.kind !== "approved") {
        const content = [{ type: "text" as const, text: "Declined" }];
        const decision = { effect: "deny" as const, rule: "fleet.ask", layer: "test" };
        return { toolCall, result: { content, details: {} }, isError: true, decision };
      }
    }
    await sleep(Number(args["before"] ?? 0), signal);
    onEffect(`${callId} ${name}:${Number(args["n"])}`);
    await sleep(Number(args["after"] ?? 0), signal);
    return {
      toolCall,
      result: { content: [], details: {}, structuredContent: { n: args["n"] ?? null } },
      isError: false,
      durationMs: 0,
    };
  }

  const tool = (name: string, idempotentHint: boolean): CallableTool => ({
    name,
    label: name,
    description: `The tool ${name}, version ${version}`,
    parameters: { type: "object" },
    outputSchema: { type: "object" },
    annotations: { idempotentHint },
  });
  const tools = [tool("effect", false), tool("deploy", false), tool("retry", true), tool("deadly", true)];
  return (callId) => ({
    tools,
    executeTool: (name, args, call) => execute(callId, name, (args ?? {}) as JsonObject, call?.signal),
  });
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
