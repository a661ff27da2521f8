import type { CallDecision, CallEnd, CallRequest, CallVerdict, JsonObject } from "@nestbox/tool";
import type { Cancellation } from "./cancellation.ts";
import type { CallSpec, HostCore } from "./host-core.ts";
import { errorText } from "./outcome.ts";
import { untilAborted } from "./race.ts";
import type { Registration } from "./registry.ts";

type Settled = (end: CallEnd) => void;

export type Decided =
  | {
      readonly kind: "allow";
      readonly decision?: CallDecision;
      readonly input: JsonObject;
      readonly settled: Settled;
    }
  | { readonly kind: "deny"; readonly decision: CallDecision; readonly reason: string }
  | { readonly kind: "aborted" };

const failedDecision: CallDecision = { effect: "deny", rule: "gate.failed", layer: "built-in" };

/**
 * Asks the gate, last of all, about exactly what will run: no handler comes after it, and what the gate holds is a
 * copy. Only a verdict that says `allow` allows; a gate that throws, rejects or answers anything else denies.
 */
export async function decide(
  core: HostCore,
  spec: CallSpec,
  { view, source, exposure }: Registration,
  input: JsonObject,
  cancellation: Cancellation,
): Promise<Decided> {
  const { gate } = core;
  if (gate === undefined) return { kind: "allow", input, settled: () => {} };
  const request: CallRequest = {
    callId: spec.callId,
    chain: spec.chain,
    tool: {
      name: spec.name,
      source,
      exposure,
      // As it was registered, whatever the tool says of itself since.
      parameters: view.parameters,
      ...(view.namespace === undefined ? {} : { namespace: view.namespace }),
      ...(view.annotations === undefined ? {} : { annotations: view.annotations }),
    },
    input: structuredClone(input),
    cwd: core.cwd,
    signal: cancellation.signal,
    ...(spec.family.actor === undefined ? {} : { actor: spec.family.actor }),
  };
  const deny = (message: string): Decided => {
    core.emit({ type: "host_problem", where: "gate", toolName: spec.name, message });
    return {
      kind: "deny",
      decision: failedDecision,
      reason: `Tool ${spec.name} blocked: the permission check failed`,
    };
  };
  try {
    const raced = await untilAborted(Promise.resolve(gate.decide(request)), cancellation);
    if (raced.aborted || cancellation.aborted) return { kind: "aborted" };
    const verdict: CallVerdict | undefined = raced.value;
    if (verdict?.effect === "allow") {
      const failed = (error: unknown): void =>
        core.emit({ type: "host_problem", where: "gate", toolName: spec.name, message: errorText(error) });
      const settled: Settled = (end) => {
        try {
          const told: unknown = gate.settled?.(request, end);
          if (told instanceof Promise) told.catch(failed);
        } catch (error) {
          failed(error);
        }
      };
      return { kind: "allow", decision: verdict.decision, input, settled };
    }
    if (verdict?.effect === "deny") {
      return {
        kind: "deny",
        decision: verdict.decision,
        reason: reasonOf(verdict.reason),
      };
    }
    return deny("the gate answered neither allow nor deny");
  } catch (error) {
    return deny(errorText(error));
  }
}

/** What the model is told; a gate that says nothing, or no text, blocks all the same. */
function reasonOf(reason: unknown): string {
  return typeof reason === "string" && reason !== "" ? reason : "Tool execution was blocked";
}
