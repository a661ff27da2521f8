import type { CallableTool, JsonObject, ToolAnnotations, ToolCallOutcome } from "@nestbox/tool";
import type { CallerFor } from "../calls.ts";
import { createParking, type Parking } from "../parking.ts";

export interface FakeTools {
  readonly callerFor: CallerFor;
  readonly parking: Parking;
  /** What ran, in order: `name:n`. */
  readonly effects: readonly string[];
}

export interface FakeToolsOptions {
  /** Told of every effect, `name:n`, and the id of its call; what it returns is waited for before the call answers. */
  readonly onEffect?: (text: string, callId: string) => unknown;
  /** Milliseconds until a call answers, or is aborted. */
  readonly latency?: (n: number, args: JsonObject) => number;
  /** Part of a description: another one is another tool. */
  readonly version?: string;
  /** Names of tools besides, which do what `effect` does. */
  readonly more?: Readonly<Record<string, ToolAnnotations>>;
}

/**
 * Tools over a gate that asks: `effect` and `retry` (which may be repeated) run at once, `deploy` when a person says
 * yes, `big` gives a long text, `hang` never answers. A call gives its arguments back, with `n` as a number.
 */
export function fakeTools(options: FakeToolsOptions = {}): FakeTools {
  const parking = createParking();
  const effects: string[] = [];
  const { version = "1", latency = () => 0, onEffect, more = {} } = options;

  async function execute(callId: string, name: string, args: JsonObject, signal: AbortSignal | undefined) {
    const toolCall = { type: "toolCall" as const, id: `${callId}/1`, name, arguments: args };
    const n = Number(args["n"] ?? 0);
    if (name === "deploy") {
      const refused = await ask(`${callId}/1`, name, args, signal);
      if (refused !== undefined) {
        const decision = { effect: "deny" as const, rule: "fake.ask", layer: "test" };
        const result = { content: [{ type: "text" as const, text: refused }], details: {} };
        return { toolCall, result, isError: true, decision } satisfies ToolCallOutcome;
      }
    }
    effects.push(`${name}:${n}`);
    await onEffect?.(`${name}:${n}`, callId);
    const ms = latency(n, args);
    if (name === "hang" || ms > 0) await answerTime(name === "hang" ? undefined : ms, signal);
    const structuredContent: JsonObject = name === "big" ? { text: "é".repeat(n) } : { ...args, n };
    return {
      toolCall,
      result: { content: [], details: {}, structuredContent },
      isError: false,
      durationMs: ms,
    };
  }

  /** Why it is refused; `undefined`: a person said yes. */
  async function ask(callId: string, toolName: string, args: JsonObject, signal?: AbortSignal) {
    const item = {
      callId,
      toolName,
      lines: [JSON.stringify(args)],
      chain: ["script", toolName],
      folder: "/project",
      reason: "It deploys",
      rule: "fake.ask",
      layer: "test",
      fingerprint: JSON.stringify(args),
    };
    const answer = await parking.approver.ask({ item }, { signal: signal ?? new AbortController().signal });
    if (answer.kind === "approved") return undefined;
    return answer.kind === "declined"
      ? `Declined: ${answer.comment ?? ""}`
      : (answer.message ?? "Nobody there");
  }

  const tools = [
    tool("effect", version),
    tool("retry", version, { idempotentHint: true }),
    tool("deploy", version),
    tool("big", version),
    tool("hang", version),
    ...Object.entries(more).map(([name, annotations]) => tool(name, version, annotations)),
  ];
  return {
    parking,
    effects,
    callerFor: (callId) => ({
      tools,
      executeTool: (name, args, call) => execute(callId, name, (args ?? {}) as JsonObject, call?.signal),
    }),
  };
}

function tool(name: string, version: string, annotations: CallableTool["annotations"] = {}): CallableTool {
  return {
    name,
    label: name,
    description: `The tool ${name}, version ${version}`,
    parameters: { type: "object" },
    outputSchema: { type: "object" },
    annotations,
  };
}

/** Until the time is over, for ever without one, or the call is aborted. */
function answerTime(ms: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (signal?.aborted === true) end();
    signal?.addEventListener("abort", end, { once: true });
  });
}
