import type { CallDecision, JsonObject, JsonValue, ToolResult } from "@nestbox/tool";
import { cacheKey, createCallCache } from "./call-cache.ts";
import type { Cancellation } from "./cancellation.ts";
import { checkOutput } from "./check-output.ts";
import { decide } from "./decide.ts";
import type { CallFailure } from "./events.ts";
import { runToolResultHandlers } from "./handlers.ts";
import type { CallSpec, HostCore, RunningCall, Scope } from "./host-core.ts";
import { errorResult, errorText, textOf, toolCallOf, type HostCallOutcome, type Ran } from "./outcome.ts";
import { prepareArguments } from "./prepare.ts";
import { readArguments } from "./read-arguments.ts";
import { readResult } from "./read-result.ts";
import { isReadOnly, type Registration } from "./registry.ts";
import { runTool } from "./run-tool.ts";
import { closeScope } from "./scope.ts";
import { thrownResult } from "./thrown.ts";
import { createTurnSpace, type TurnSpace } from "./turns.ts";

/** How a call ended, without its identity. */
interface CallEnd {
  readonly result: ToolResult;
  readonly isError: boolean;
  readonly failure?: CallFailure;
  readonly durationMs?: number;
  readonly decision?: CallDecision;
  readonly ranWith?: JsonValue;
  readonly cached?: true;
  readonly outputErrors?: HostCallOutcome["outputErrors"];
}

const aborted: CallEnd = failed("cancelled", "Operation aborted");

function failed(failure: CallFailure, text: string, more: Partial<CallEnd> = {}): CallEnd {
  return { result: errorResult(text), isError: true, failure, ...more };
}

/**
 * The one line that every call goes along: plain JSON, turn, look-up, validation, `tool_call` handlers, gate,
 * `execute`, output check, `tool_result` handlers. The outcome never rejects.
 */
export function runCall(core: HostCore, spec: CallSpec): RunningCall {
  const cancellation = spec.cancellation.child(spec.signal);
  return { outcome: settle(core, spec, cancellation), abort: (reason) => cancellation.abort(reason) };
}

async function settle(core: HostCore, spec: CallSpec, cancellation: Cancellation): Promise<HostCallOutcome> {
  const { callId, name, family } = spec;
  const plain = readArguments(spec.args ?? {}, core.limits);
  const args = plain.ok ? plain.value : {};
  const entry = spec.recorded ? family.recorder.start(callId, name, plain.ok ? args : undefined) : undefined;
  const identity = {
    toolCallId: callId,
    toolName: name,
    ...(spec.parentCallId === undefined ? {} : { parentToolCallId: spec.parentCallId }),
  };
  core.emit({ type: "tool_execution_start", ...identity, args });

  let end: CallEnd;
  try {
    end = plain.ok
      ? await takeTurn(core, spec, cancellation, args)
      : failed(
          "invalid-arguments",
          `Arguments of tool "${name}" are not plain JSON at ${plain.path || "root"}: ${plain.message}`,
        );
  } catch (error) {
    end = failed("failed", errorText(error));
  } finally {
    cancellation.release();
  }

  if (spec.recorded) {
    const text = end.isError ? textOf(end.result) : "";
    family.recorder.finish(entry, {
      isError: end.isError,
      error: text,
      cancelled: end.failure === "cancelled",
    });
    if (end.result.usage !== undefined) family.recorder.addUsage(end.result.usage);
  }
  core.emit({ type: "tool_execution_end", ...identity, ...end });
  return { toolCall: toolCallOf(callId, name, args), ...end };
}

async function takeTurn(
  core: HostCore,
  spec: CallSpec,
  cancellation: Cancellation,
  args: JsonValue,
): Promise<CallEnd> {
  const { name, depth, family, space } = spec;
  const { maxDepth, maxCallsPerRoot, maxWaiting } = core.limits;
  if (depth > maxDepth)
    return failed("limit", `Tool ${name} not called: calls may be nested ${maxDepth} deep`);
  if (spec.recorded && ++family.calls > maxCallsPerRoot) {
    return failed("limit", `Tool ${name} not called: one call may make ${maxCallsPerRoot} nested calls`);
  }
  if (cancellation.aborted) return aborted;
  const found = spec.lookup(name);
  if (found === undefined) return failed("not-found", `Tool ${name} not found`);

  // A batch has its own bound, and a call that waits for the others of its batch must not hold a place.
  if (spec.batch !== undefined) return runInTurn(core, spec, found, space, cancellation, args);

  const exclusive = core.isSequential() || found.tool.executionMode === "sequential";
  const turnstile = exclusive ? space.lock : space.atDepth(depth);
  const taking = turnstile.take(cancellation);
  const turn = typeof taking === "string" ? taking : await taking;
  if (turn === "aborted") return aborted;
  if (turn === "full")
    return failed("limit", `Tool ${name} not called: ${maxWaiting} calls are waiting already`);
  try {
    // Waiting takes time: the tool may have been withdrawn.
    const registration = spec.lookup(name);
    if (cancellation.aborted) return aborted;
    if (registration === undefined) return failed("not-found", `Tool ${name} not found`);
    const inner = exclusive ? createTurnSpace(core.limits.maxConcurrent, core.room) : space;
    return await runInTurn(core, spec, registration, inner, cancellation, args);
  } finally {
    turnstile.leave();
  }
}

async function runInTurn(
  core: HostCore,
  spec: CallSpec,
  registration: Registration,
  space: TurnSpace,
  cancellation: Cancellation,
  args: JsonValue,
): Promise<CallEnd> {
  const prepared = await prepareArguments(core, spec, registration, cancellation, args);
  switch (prepared.kind) {
    case "aborted":
      return aborted;
    case "invalid":
      return failed("invalid-arguments", prepared.message);
    case "blocked": {
      const end = failed("denied", prepared.reason);
      return prepared.terminate ? { ...end, result: { ...end.result, terminate: true } } : end;
    }
    case "ready":
  }
  const { input } = prepared;
  // The tool may change what it gets; what is told of it afterwards is what it got.
  const told = prepared.changed || core.toolResultHandlers.size > 0 ? structuredClone(input) : input;
  const ranWith = prepared.changed ? { ranWith: told } : {};

  const verdict = await decide(core, spec, registration, input, cancellation);
  if (verdict.kind === "aborted") return aborted;
  const decision = verdict.decision === undefined ? {} : { decision: verdict.decision };
  if (verdict.kind === "deny") return failed("denied", verdict.reason, { ...decision, ...ranWith });

  if (spec.batch !== undefined) {
    spec.batch.prepared();
    await spec.batch.go;
  }
  // The last moment: an effect that has not begun does not begin any more.
  if (cancellation.aborted) {
    verdict.settled({ isError: true });
    return { ...aborted, ...decision, ...ranWith };
  }

  const scope: Scope = {
    callId: spec.callId,
    depth: spec.depth,
    chain: [...spec.chain, { callId: spec.callId, toolName: spec.name }],
    family: spec.family,
    space,
    cancellation,
    running: new Set(),
    open: true,
  };
  const ran = await runOrRecall(core, spec, registration, args, verdict.input, scope);
  await closeScope(scope);

  let end = endOf(core, ran, cancellation.aborted);
  const output = checkOutput(registration, end.result, end.isError);
  end = { ...end, result: output.result };
  if (core.toolResultHandlers.size > 0)
    end = { ...end, ...(await runToolResultHandlers(core, spec, told, end, cancellation)) };
  if (!end.isError && end.failure !== undefined) {
    const { failure: _failure, ...rest } = end;
    end = rest;
  } else if (end.isError && end.failure === undefined) {
    end = { ...end, failure: "failed" };
  }
  const durationMs = Math.round(ran.durationMs);
  verdict.settled({ isError: end.isError, durationMs, result: end.result });
  return {
    ...end,
    durationMs,
    ...decision,
    ...ranWith,
    ...(ran.kind === "returned" && ran.cached === true ? { cached: true } : {}),
    ...(output.errors.length === 0 ? {} : { outputErrors: output.errors }),
  };
}

/** Runs the tool, unless the call may be answered with what it gave before. */
async function runOrRecall(
  core: HostCore,
  spec: CallSpec,
  registration: Registration,
  args: JsonValue,
  input: JsonObject,
  scope: Scope,
): Promise<Ran> {
  const run = (): Promise<Ran> => runTool(core, spec, registration, args, input, scope);
  if (spec.cached !== true || !isReadOnly(registration)) return run();
  const cache = (spec.family.cache ??= createCallCache<Ran>(core.limits, core.watch));
  // Before it runs, because the tool may change what it gets.
  const key = cacheKey([spec.name], input);
  const found = await cache.get(key, registration, spec.parentCallId, async () => {
    const value = await run();
    return { value, keep: value.kind === "returned" ? worthKeeping(value.value) : undefined };
  });
  return found.kept ? { kind: "returned", value: found.value, durationMs: 0, cached: true } : found.value;
}

/** A result without what it cost, which is not spent again; nothing for a failure. */
function worthKeeping(value: unknown): unknown {
  const read = readResult(value);
  if (!read.ok || read.result.isError === true) return undefined;
  const { usage: _usage, ...rest } = read.result;
  return rest;
}

function endOf(core: HostCore, ran: Ran, isAborted: boolean): CallEnd {
  if (ran.kind === "abandoned") return failed("cancelled", "Operation aborted, and the tool did not stop");
  const failure = isAborted ? "cancelled" : "failed";
  if (ran.kind === "threw") return { result: thrownResult(ran.error, core.limits), isError: true, failure };
  const read = readResult(ran.value);
  if (!read.ok) return failed("failed", read.message);
  return read.result.isError === true
    ? { result: read.result, isError: true, failure }
    : { result: read.result, isError: false };
}
