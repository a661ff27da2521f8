/** The tools of a worker that is measured. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CallerFor, Parking } from "@nestbox/codemode/durable";
import type { CallableTool, JsonObject, ToolCallOutcome } from "@nestbox/tool";

export interface FleetToolsOptions {
  readonly parking: Parking;
  readonly hold: (runId: string) => Promise<void>;
}

export function fleetTools({ parking, hold }: FleetToolsOptions): CallerFor {
  async function execute(
    callId: string,
    name: string,
    args: JsonObject,
    signal: AbortSignal | undefined,
  ): Promise<ToolCallOutcome> {
    const toolCall = { type: "toolCall" as const, id: `${callId}/1`, name, arguments: args };
    if (name === "hold") await hold(callId.slice(0, callId.lastIndexOf(":")));
    if (name === "ask") {
      const fingerprint = JSON.stringify(args);
      const item = {
        callId: toolCall.id,
        toolName: name,
        lines: [fingerprint],
        chain: ["script", name],
        folder: "/project",
        reason: "It asks",
        rule: "bench.ask",
        layer: "bench",
        fingerprint,
      };
      const answer = await parking.approver.ask({ item }, { signal: signal ?? new AbortController().signal });
      if (answer.kind !== "approved") {
        const content = [{ type: "text" as const, text: "Nobody has said yes" }];
        const decision = { effect: "deny" as const, rule: "bench.ask", layer: "bench" };
        return { toolCall, result: { content, details: {} }, isError: true, decision };
      }
    }
    const structuredContent = { n: args["n"] ?? 0 };
    return {
      toolCall,
      result: { content: [], details: {}, structuredContent },
      isError: false,
      durationMs: 0,
    };
  }

  const tool = (name: string): CallableTool => ({
    name,
    label: name,
    description: `The tool ${name}`,
    parameters: { type: "object" },
    outputSchema: { type: "object" },
    annotations: { idempotentHint: true },
  });
  const tools = [tool("noop"), tool("hold"), tool("ask")];
  return (callId) => ({
    tools,
    executeTool: (name, args, call) => execute(callId, name, (args ?? {}) as JsonObject, call?.signal),
  });
}

/**
 * Says that it is inside, and stays there until the process dies; the second time, in whatever process, it ends at once.
 */
export function holdOnce(folder: string): (runId: string) => Promise<void> {
  return async (runId) => {
    const mark = join(folder, encodeURIComponent(runId));
    const isSecond = existsSync(mark);
    writeFileSync(mark, "");
    process.send?.({ inside: runId });
    if (!isSecond) await new Promise(() => undefined);
  };
}
