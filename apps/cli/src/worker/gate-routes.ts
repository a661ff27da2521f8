import type { CallGate, CallRequest } from "@nestbox/tool";

/** One gate in front of a host, behind which every run has its own. A call of none of them is denied. */
export interface GateRoutes {
  readonly gate: CallGate;
  /** Calls below this root, the id of a call and not of a run, belong to this gate until what it returns is called. */
  enter(rootId: string, gate: CallGate): () => void;
}

export function createGateRoutes(): GateRoutes {
  const gates = new Map<string, CallGate>();
  const gateOf = ({ chain, callId }: CallRequest): CallGate | undefined =>
    gates.get(chain[0]?.callId ?? callId);
  return {
    gate: {
      async decide(request) {
        const gate = gateOf(request);
        if (gate !== undefined) return await gate.decide(request);
        return {
          effect: "deny",
          decision: { effect: "deny", rule: "worker.run", layer: "built-in" },
          reason: "Blocked: this call belongs to no run.",
        };
      },
      settled: (request, end) => gateOf(request)?.settled?.(request, end),
    },
    enter(rootId, gate) {
      gates.set(rootId, gate);
      return () => {
        if (gates.get(rootId) === gate) gates.delete(rootId);
      };
    },
  };
}
