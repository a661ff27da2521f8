/**
 * The policy of the session in front of calls that no model makes. Pi calls the policy's handlers for the model's calls;
 * a run by hand is given to the same ones, so that it is judged by the very same gate: one record, one set of remembered
 * answers, one queue of questions.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Handlers, HostEvent } from "@nestbox/calls";
import type { CallDecision, CallGate, CallRequest, CallVerdict } from "@nestbox/tool";
import type { PolicyExtension } from "@nestbox/policy/pi";

/** What a host of calls needs to be judged by the session's policy, for one run in one context. */
export interface GuardedRun {
  readonly gate: CallGate;
  readonly handlers: Handlers;
  readonly onEvent: (event: HostEvent) => void;
}

export interface PolicyGuard {
  /** Begins a run: what was declined in the one before may be asked again. */
  begin(context: ExtensionContext): GuardedRun;
}

/** Registers the policy. */
export function installPolicy(pi: ExtensionAPI, policy: PolicyExtension): PolicyGuard {
  policy(pi);
  return {
    begin(context) {
      const handlers = policy.handlers();
      if (handlers === undefined) throw new Error("The policy is not registered");
      handlers.agentStart(undefined, context);
      const decide = async (request: CallRequest): Promise<CallVerdict> => {
        const parentToolCallId = request.chain.at(-1)?.callId;
        const blocked = await handlers.toolCall(
          {
            toolName: request.tool.name,
            toolCallId: request.callId,
            input: request.input,
            ...(parentToolCallId === undefined ? {} : { parentToolCallId }),
          },
          context,
        );
        const effect = blocked === undefined ? "allow" : "deny";
        const decision: CallDecision = policy.decisionOf(request.callId) ?? {
          effect,
          rule: "gate.unknown",
          layer: "built-in",
        };
        return { effect, decision, reason: blocked?.reason ?? "" };
      };
      return {
        gate: { decide },
        handlers: { tool_result: [(event) => handlers.toolResult(event, context)] },
        onEvent(event) {
          if (event.type === "tool_execution_start") handlers.toolExecutionStart(event);
          else if (event.type === "tool_execution_end") handlers.toolExecutionEnd(event, context);
        },
      };
    },
  };
}
