import type { CallRequest, ToolSource } from "@nestbox/tool";

import { deepFreeze } from "../gate/freeze.ts";
import type { PolicyGate } from "../gate/gate-types.ts";

/** What is looked at of the low-level agent's tools. Annotations are its author's, where the object carries them. */
interface AgentToolView {
  readonly name: string;
  readonly parameters: object;
  readonly annotations?: CallRequest["tool"]["annotations"];
  readonly namespace?: CallRequest["tool"]["namespace"];
}

interface BeforeContext {
  readonly toolCall: { readonly id: string; readonly name: string };
  readonly args: unknown;
  readonly context: { readonly tools?: readonly AgentToolView[] };
}

interface AfterContext extends BeforeContext {
  readonly result: { readonly content?: unknown; readonly structuredContent?: unknown };
  readonly isError: boolean;
}

export interface AgentGateOptions {
  readonly gate: PolicyGate;
  readonly cwd: string;
  /** Where a tool comes from. Default: all are the program's own (`sdk`). */
  readonly source?: (name: string) => ToolSource;
  /** Tools that change their own arguments while they run. */
  readonly mutableInput?: readonly string[];
}

/** The two hooks of the low-level agent: hand them to `new Agent({ beforeToolCall, afterToolCall })`. */
export interface AgentGate {
  readonly beforeToolCall: (
    context: BeforeContext,
    signal?: AbortSignal,
  ) => Promise<{ block: true; reason: string } | undefined>;
  readonly afterToolCall: (context: AfterContext) => Promise<{ isError: true } | undefined>;
}

/** The same gate, and so the same verdicts, for the low-level agent (contract B5). It knows no nested calls. */
export function createAgentGate(options: AgentGateOptions): AgentGate {
  const { gate, cwd } = options;
  const mutable = new Set(options.mutableInput);
  return {
    async beforeToolCall({ toolCall, args, context }, signal) {
      if (!mutable.has(toolCall.name)) deepFreeze(args);
      const tool = context.tools?.find((candidate) => candidate.name === toolCall.name);
      const request: Omit<CallRequest, "input"> = {
        callId: toolCall.id,
        chain: [],
        tool: {
          name: toolCall.name,
          source: options.source?.(toolCall.name) ?? { kind: "sdk" },
          ...(tool === undefined ? {} : { parameters: tool.parameters }),
          ...(tool?.annotations === undefined ? {} : { annotations: tool.annotations }),
          ...(tool?.namespace === undefined ? {} : { namespace: tool.namespace }),
        },
        cwd,
        actor: "agent",
        ...(signal === undefined ? {} : { signal }),
      };
      // The gate reads the arguments itself and refuses what is not a plain object.
      const verdict = await gate.decide(Object.assign({ ...request, input: {} }, { input: args }));
      return verdict.effect === "allow" ? undefined : { block: true, reason: verdict.reason };
    },
    async afterToolCall({ toolCall, args, result, isError }) {
      const { changed } = gate.settled({ callId: toolCall.id }, { isError, input: args, result });
      return changed ? { isError: true } : undefined;
    },
  };
}
