/**
 * What carries runs on in this worker: one host with the tools of its configuration, one pool of isolates, and for each
 * part of a run a gate of its own. Of a submission nothing but the script and lower limits counts.
 */
import type { HostEvent, ToolHost } from "@nestbox/calls";
import { createDiscovery, type ScriptOutcome, type ScriptRunner } from "@nestbox/codemode";
import { cancelDurable, type CallerFor, type Parking, type RunJournal } from "@nestbox/codemode/durable";
import type { AuditSink } from "@nestbox/policy";
import type { OpenPolicy } from "@nestbox/policy/node";

import type { FleetCarrier, FleetRun } from "../fleet/engine.ts";
import { messageOf } from "@nestbox/tool";
import { capLimits, type RunCaps } from "./caps.ts";
import type { CallOutcome, WorkerListener } from "./events.ts";
import type { GateRoutes } from "./gate-routes.ts";
import { Part } from "./part.ts";
import { CALLER_NAME, createRunGate, type RunGate } from "./run-gate.ts";

export interface CarriersOptions {
  readonly host: ToolHost;
  /** Those in front of the host. */
  readonly routes: GateRoutes;
  readonly policy: OpenPolicy;
  readonly runner: ScriptRunner;
  readonly parking: Parking;
  readonly caps: RunCaps;
  readonly audit?: AuditSink | undefined;
  readonly journal: (runId: string) => RunJournal;
  readonly status: (runId: string) => Promise<FleetRun | undefined>;
  readonly draining: () => boolean;
  readonly tell: WorkerListener;
  /** Told why no sandbox came up, and with `undefined` that one did. */
  readonly onSandbox: (problem: string | undefined) => void;
  readonly onError: (message: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Calls back once after `ms`; returns how to cancel. */
  readonly after: (ms: number, run: () => void) => () => void;
}

export interface Carriers {
  readonly carrierFor: (runId: string) => FleetCarrier;
  /** Calls of scripts that have begun and not ended. */
  readonly callsUnderWay: () => number;
}

export function createCarriers(options: CarriersOptions): Carriers {
  const { host, routes, runner, parking, caps, now, after, tell } = options;
  // The tools of a worker are those that it began with.
  const { globals, describe } = createDiscovery(host.callable());
  const latest = new Map<string, Part>();
  /** Calls that the policy wants a person for, until they have ended. */
  const asked = new Set<string>();
  let callsUnderWay = 0;

  host.subscribe((event) => {
    if (event.type !== "tool_execution_end") return;
    const outcome = outcomeOf(event, asked.delete(event.toolCallId));
    tell({ type: "call.ended", toolName: event.toolName, outcome, durationMs: event.durationMs });
  });

  function partOf(runId: string): Part {
    latest.get(runId)?.replaced();
    const part: Part = new Part({
      runId,
      now,
      after,
      draining: options.draining,
      status: () => options.status(runId),
      tell,
      onSettled() {
        if (latest.get(runId) === part) latest.delete(runId);
      },
    });
    latest.set(runId, part);
    return part;
  }

  function gateOf(part: Part): RunGate {
    return createRunGate({
      runId: part.runId,
      policy: options.policy,
      approver: parking.approver,
      audit: options.audit,
      onError: options.onError,
      onDecision(callId, effect) {
        if (effect === "ask") {
          asked.add(callId);
          part.asked();
        }
        tell({ type: "decision", effect });
      },
    });
  }

  function callersOf(part: Part, gate: RunGate): CallerFor {
    return (callId) => {
      const caller = host.caller({ callId, toolName: CALLER_NAME });
      // The first one is asked for what the run may call, before it begins. It makes no call, and has the run's id:
      // another run's call may have the same one, which only what comes after its last colon tells from a run's.
      const isView = callId === part.runId;
      const leave = isView ? undefined : routes.enter(callId, gate);
      return {
        tools: caller.tools,
        async executeTool(name, args, callOptions) {
          callsUnderWay++;
          try {
            return await caller.executeTool(name, args, callOptions);
          } finally {
            callsUnderWay--;
          }
        },
        async [Symbol.asyncDispose]() {
          await caller.close();
          leave?.();
          if (isView) part.prepared();
        },
      };
    };
  }

  function runnerOf(part: Part, gate: RunGate): ScriptRunner["run"] {
    return async (request) => {
      const startedAt = request.environment?.now?.();
      const waitsSince = now();
      part.begin(startedAt);
      const cancelDeadline = startedAt === undefined ? undefined : limitTo(part.runId, startedAt);
      let inIsolate = false;
      let outcome: ScriptOutcome | undefined;
      try {
        outcome = await runner.run({
          ...request,
          limits: capLimits(request.limits, caps),
          onEvent(event) {
            if (event.type === "start") {
              inIsolate = true;
              tell({ type: "isolate.taken", waitedMs: now() - waitsSince });
              options.onSandbox(undefined);
            } else if (event.type === "call") gate.replayed(event.call);
            request.onEvent?.(event);
          },
        });
        if (!outcome.ok && outcome.error.name === "SandboxStartError")
          options.onSandbox(outcome.error.message);
        return outcome;
      } finally {
        cancelDeadline?.();
        if (inIsolate) tell({ type: "isolate.free" });
        part.ran(outcome);
      }
    };
  }

  /** A run that has taken longer than runs may ends, as one that is cancelled does. */
  function limitTo(runId: string, startedAt: number): (() => void) | undefined {
    const { deadlineMs } = caps;
    if (deadlineMs === undefined) return undefined;
    const cancel = (): void => {
      const why = `The run has not ended within ${deadlineMs} ms, the limit of its worker`;
      cancelDurable(options.journal(runId), why).catch((error: unknown) => options.onError(messageOf(error)));
    };
    const left = startedAt + deadlineMs - now();
    if (left > 0) return after(left, cancel);
    cancel();
    return undefined;
  }

  return {
    carrierFor(runId) {
      const part = partOf(runId);
      const gate = gateOf(part);
      return {
        runner: { run: runnerOf(part, gate), warm: () => runner.warm(), close: () => runner.close() },
        parking,
        callerFor: callersOf(part, gate),
        globals,
        describe,
      };
    },
    callsUnderWay: () => callsUnderWay,
  };
}

function outcomeOf(
  event: Extract<HostEvent, { readonly type: "tool_execution_end" }>,
  wasAsked: boolean,
): CallOutcome {
  if (event.failure === "denied" && wasAsked) return "asked";
  if (event.failure !== undefined) return event.failure === "failed" ? "error" : event.failure;
  return event.isError ? "error" : "ok";
}
