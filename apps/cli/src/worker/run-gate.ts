/**
 * The gate of one part of a run: a memory of its own, so that no answer, refusal or budget of one run counts in another,
 * and every call of the run below one root. What was called before, in this process or another, counts for budgets.
 */
import { type CallGate, messageOf } from "@nestbox/tool";
import { type Approver, type AuditSink, createGate, type PolicyEngine } from "@nestbox/policy";
import type { OpenPolicy } from "@nestbox/policy/node";

/** Stands in the chain of every call, the audit and the question to a person. */
export const CALLER_NAME = "nestbox worker";

export interface RunGateOptions {
  readonly runId: string;
  readonly policy: OpenPolicy;
  readonly approver: Approver;
  readonly audit?: AuditSink | undefined;
  readonly onDecision: (callId: string, effect: "allow" | "ask" | "deny") => void;
  readonly onError: (message: string) => void;
}

export interface RunGate extends CallGate {
  /** A call that the run has made and that is not made again: it counts for budgets. */
  replayed(call: { readonly id: string; readonly name: string; readonly status: string }): void;
}

export function createRunGate(options: RunGateOptions): RunGate {
  const { runId, policy, approver, audit, onDecision, onError } = options;
  const here = new Set<string>();
  const before = new Map<string, number>();
  const engine: PolicyEngine = {
    evaluate(request, history) {
      if (before.size === 0) return policy.engine.evaluate(request, history);
      const earlier = Array.from(before, ([toolName, calls]) => ({
        rootId: runId,
        toolName,
        calls,
        prompts: 0,
      }));
      return policy.engine.evaluate(request, {
        calls: history?.calls ?? [],
        earlier: [...(history?.earlier ?? []), ...earlier],
      });
    },
  };
  const gate = createGate({
    engine,
    facts: policy.facts,
    approver,
    // Nobody reads along: there is nothing to gather.
    gatherMs: 0,
    ...(audit === undefined ? {} : { audit }),
    onDecision: ({ request, verdict, answer }) =>
      onDecision(request.callId, answer === "unavailable" ? "ask" : verdict.effect),
    onError: (error, where) => onError(`${where}: ${messageOf(error)}`),
  });
  return {
    async decide(request) {
      here.add(request.callId);
      const broken = brokenPolicy(policy);
      if (broken !== undefined) {
        onDecision(request.callId, "deny");
        return {
          effect: "deny",
          decision: { effect: "deny", rule: "worker.policy", layer: "built-in" },
          reason: `Blocked: ${broken}, and until it is mended this worker makes no call.`,
        };
      }
      const [, ...chain] = request.chain;
      return await gate.decide({ ...request, chain: [{ callId: runId, toolName: CALLER_NAME }, ...chain] });
    },
    settled: (request, end) => void gate.settled(request, end),
    replayed({ id, name, status }) {
      if (here.has(id) || status === "denied" || status === "running") return;
      before.set(name, (before.get(name) ?? 0) + 1);
    },
  };
}

/** What is wrong with the files; `undefined`: what they say counts as it stands there. */
export function brokenPolicy(policy: Pick<OpenPolicy, "status">): string | undefined {
  const found = policy.status().find(({ state }) => state === "broken" || state === "last-good");
  return found === undefined ? undefined : `a policy file is broken (${found.path})`;
}
