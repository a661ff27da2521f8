/**
 * The policy of the session in front of calls that no model makes. The policy is an extension whose handlers Pi calls;
 * here they are kept while it registers them, so that a run by hand is judged by the very same gate: one record, one
 * set of remembered answers, one queue of questions.
 */
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Handlers, HostEvent } from "@nestbox/calls";
import type { CallDecision, CallGate, CallRequest, CallVerdict } from "@nestbox/tool";
import type { PolicyExtension, PolicyHandlers } from "@nestbox/policy/pi";

type Kept = PolicyHandlers<ExtensionContext>;

const KEPT = {
  agent_start: "agentStart",
  tool_call: "toolCall",
  tool_result: "toolResult",
  tool_execution_start: "toolExecutionStart",
  tool_execution_end: "toolExecutionEnd",
} as const satisfies Readonly<Record<string, keyof Kept>>;

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

/** Registers the policy and keeps its handlers. */
export function installPolicy(pi: ExtensionAPI, policy: PolicyExtension): PolicyGuard {
  const kept = new Map<string, unknown>();
  policy(
    Object.create(pi, {
      on: {
        value: (event: string, handler: never) => {
          if (Object.hasOwn(KEPT, event)) kept.set(KEPT[event as keyof typeof KEPT], handler);
          return pi.on(event as never, handler);
        },
      },
    }),
  );
  const handler = <TName extends keyof Kept>(name: TName): Kept[TName] => {
    const found = kept.get(name);
    if (typeof found !== "function") throw new Error(`The policy registered no ${name} handler`);
    // Its own handler for this very event.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return found as Kept[TName];
  };
  return {
    begin(context) {
      const [toolCall, toolResult] = [handler("toolCall"), handler("toolResult")];
      const [started, ended] = [handler("toolExecutionStart"), handler("toolExecutionEnd")];
      handler("agentStart")(undefined, context);
      const decide = async (request: CallRequest): Promise<CallVerdict> => {
        const parentToolCallId = request.chain.at(-1)?.callId;
        const blocked = await toolCall(
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
        handlers: { tool_result: [(event) => toolResult(event, context)] },
        onEvent(event) {
          if (event.type === "tool_execution_start") started(event);
          else if (event.type === "tool_execution_end") ended(event, context);
        },
      };
    },
  };
}
