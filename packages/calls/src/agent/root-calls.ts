import type { AgentTool } from "@earendil-works/pi-agent-core";
import type { CallDecision, JsonObject, ToolResult, ToolUpdateCallback } from "@nestbox/tool";
import { checkOutput } from "../check-output.ts";
import type { Decided } from "../decide.ts";
import type { HostParts } from "../host-parts.ts";
import { errorText } from "../outcome.ts";
import { readResult } from "../read-result.ts";
import type { CallSpec, Family, Scope } from "../host-core.ts";
import type { Registration } from "../registry.ts";
import { runTool } from "../run-tool.ts";
import { closeScope } from "../scope.ts";
import { createTurnSpace } from "../turns.ts";

type Allowed = Extract<Decided, { kind: "allow" }>;

/** Calls that the agent itself runs, for the model. */
export interface RootCalls {
  /** The tool as the agent runs it: with a scope around it, so that it can call others. */
  wrap(registration: Registration, description: string): AgentTool;
  /** The call, for handlers and the gate. */
  specOf(callId: string, name: string, args: unknown): CallSpec;
  /** What the gate said yes to: nothing else runs under this id. */
  approve(callId: string, allowed: Allowed): void;
  remember(callId: string, decision: CallDecision): void;
  decisionOf(callId: string): CallDecision | undefined;
  /** The nested calls of a call that is over; forgets them. */
  take(callId: string): Family | undefined;
  clear(): void;
}

export function createRootCalls({ core, cancellation, space, familyOf }: HostParts): RootCalls {
  const families = new Map<string, Family>();
  const approved = new Map<string, Allowed>();
  const decisions = new Map<string, CallDecision>();

  const familyFor = (callId: string): Family => {
    const found = families.get(callId) ?? familyOf(undefined);
    families.set(callId, found);
    return found;
  };

  const specOf: RootCalls["specOf"] = (callId, name, args) => ({
    callId,
    name,
    args,
    chain: [],
    depth: 0,
    family: familyFor(callId),
    space,
    cancellation,
    lookup: (wanted) => core.registry.get(wanted),
    recorded: false,
  });

  /** The agent was aborted between the verdict and the call: a gate that waits for its end would wait for ever. */
  const drop = (callId: string): void => {
    const allowed = approved.get(callId);
    approved.delete(callId);
    allowed?.settled({ isError: true });
  };

  const execute = async (
    registration: Registration,
    callId: string,
    params: JsonObject,
    signal: AbortSignal | undefined,
    onUpdate: ToolUpdateCallback | undefined,
  ): Promise<ToolResult> => {
    const { name } = registration.tool;
    const allowed = approved.get(callId);
    approved.delete(callId);
    if (core.gate !== undefined && allowed === undefined)
      throw new Error(`Tool ${name} blocked: no gate has seen this call`);
    // A handler that kept the arguments may have changed them since.
    if (allowed !== undefined && JSON.stringify(params) !== JSON.stringify(allowed.input)) {
      throw new Error(`Tool ${name} blocked: its arguments changed after they were approved`);
    }
    const own = cancellation.child(signal);
    const spec: CallSpec = {
      ...specOf(callId, name, params),
      ...(onUpdate === undefined ? {} : { onUpdate }),
    };
    const exclusive = registration.tool.executionMode === "sequential";
    const scope: Scope = {
      callId,
      depth: 0,
      chain: [{ callId, toolName: name }],
      family: spec.family,
      space: exclusive ? createTurnSpace(core.limits.maxConcurrent, core.room) : space,
      cancellation: own,
      running: new Set(),
      open: true,
    };
    let isError = true;
    let result: ToolResult | undefined;
    const startedAt = core.clock.now();
    try {
      // The agent tells of updates itself.
      const quiet = { ...core, emit: () => {} };
      const ran = await runTool(quiet, spec, registration, params, params, scope);
      await closeScope(scope);
      if (ran.kind === "abandoned") throw new Error("Operation aborted, and the tool did not stop");
      // The agent reads what was thrown, which may be anything.
      if (ran.kind === "threw") throw new Error(errorText(ran.error), { cause: ran.error });
      const read = readResult(ran.value);
      if (!read.ok) throw new Error(read.message);
      isError = read.result.isError === true;
      result = checkOutput(registration, read.result, isError).result;
      return result;
    } finally {
      own.release();
      const durationMs = Math.round(core.clock.now() - startedAt);
      allowed?.settled({ isError, durationMs, ...(result === undefined ? {} : { result }) });
    }
  };

  return {
    specOf,
    wrap(registration, description) {
      const { tool } = registration;
      const wrapped = {
        ...tool,
        label: tool.label ?? tool.name,
        description,
        execute: (callId: string, params: JsonObject, signal?: AbortSignal, onUpdate?: ToolUpdateCallback) =>
          execute(registration, callId, params, signal, onUpdate),
      };
      // The shape is an AgentTool's; the types of usage and JSON differ in what may be readonly.
      return wrapped as unknown as AgentTool;
    },
    approve: (callId, allowed) => void approved.set(callId, allowed),
    remember: (callId, decision) => void decisions.set(callId, decision),
    decisionOf: (callId) => decisions.get(callId),
    take(callId) {
      drop(callId);
      const family = families.get(callId);
      families.delete(callId);
      decisions.delete(callId);
      return family;
    },
    clear() {
      for (const callId of approved.keys()) drop(callId);
      families.clear();
      decisions.clear();
    },
  };
}
