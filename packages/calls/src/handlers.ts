import type { JsonObject, JsonValue, ToolResult } from "@nestbox/tool";
import type { Cancellation } from "./cancellation.ts";
import type { HandlerContext, ToolCallHandlerEvent, ToolResultHandlerEvent } from "./events.ts";
import type { CallSpec, HostCore } from "./host-core.ts";
import { plainData } from "./check-output.ts";
import { errorResult, errorText } from "./outcome.ts";
import { untilAborted } from "./race.ts";
import { readResult } from "./read-result.ts";

export type HandlersVerdict =
  | { readonly kind: "pass"; readonly input: unknown }
  | { readonly kind: "blocked"; readonly reason: string; readonly terminate: boolean }
  | { readonly kind: "aborted" };

function contextOf(core: HostCore, cancellation: Cancellation): HandlerContext {
  return { cwd: core.cwd, signal: cancellation.signal, hasUI: false };
}

function identityOf(spec: CallSpec): { toolName: string; toolCallId: string; parentToolCallId?: string } {
  return {
    toolName: spec.name,
    toolCallId: spec.callId,
    ...(spec.parentCallId === undefined ? {} : { parentToolCallId: spec.parentCallId }),
  };
}

/** Runs the `tool_call` handlers in order. The first that blocks ends the chain, one that throws blocks. */
export async function runToolCallHandlers(
  core: HostCore,
  spec: CallSpec,
  input: JsonObject,
  cancellation: Cancellation,
): Promise<HandlersVerdict> {
  const event: ToolCallHandlerEvent = { type: "tool_call", ...identityOf(spec), input: { ...input } };
  // A snapshot: a handler that is added or taken back now counts from the next call on.
  for (const handler of Array.from(core.toolCallHandlers)) {
    try {
      const answered = await untilAborted(
        Promise.resolve(handler(event, contextOf(core, cancellation))),
        cancellation,
      );
      if (answered.aborted) return { kind: "aborted" };
      const answer = answered.value;
      if (answer?.block === true) {
        return {
          kind: "blocked",
          reason:
            typeof answer.reason === "string" && answer.reason !== ""
              ? answer.reason
              : "Tool execution was blocked",
          terminate: answer.terminate === true,
        };
      }
    } catch (error) {
      const reason =
        error instanceof Error
          ? errorText(error)
          : `Extension failed, blocking execution: ${errorText(error)}`;
      core.emit({ type: "host_problem", where: "tool_call", toolName: spec.name, message: reason });
      return { kind: "blocked", reason, terminate: false };
    }
  }
  return { kind: "pass", input: event.input };
}

interface Ended {
  readonly result: ToolResult;
  readonly isError: boolean;
}

/**
 * Runs the `tool_result` handlers in order. Pi ignores one that throws and lets the result through as it was; here it
 * is withheld, because the handler may have been about to redact it.
 */
export async function runToolResultHandlers(
  core: HostCore,
  spec: CallSpec,
  input: JsonValue,
  end: Ended,
  cancellation: Cancellation,
): Promise<Ended> {
  const event: ToolResultHandlerEvent = {
    type: "tool_result",
    ...identityOf(spec),
    input,
    content: end.result.content,
    details: end.result.details,
    ...(end.result.structuredContent === undefined
      ? {}
      : { structuredContent: end.result.structuredContent }),
    isError: end.isError,
    ...(end.result.usage === undefined ? {} : { usage: end.result.usage }),
  };
  let { terminate } = end.result;
  const withhold = (message: string): Ended => {
    core.emit({ type: "host_problem", where: "tool_result", toolName: spec.name, message });
    const { usage } = end.result;
    const withheld = errorResult("The tool ran, but its result is withheld: a tool_result handler failed");
    return { result: usage === undefined ? withheld : { ...withheld, usage }, isError: true };
  };
  for (const handler of Array.from(core.toolResultHandlers)) {
    try {
      const answer = await handler(event, contextOf(core, cancellation));
      if (!answer) continue;
      if (answer.content !== undefined) {
        event.content = answer.content;
        // Structured content that does not come along with new content may no longer match it.
        delete event.structuredContent;
      }
      if (answer.details !== undefined) event.details = answer.details;
      if (answer.structuredContent !== undefined) event.structuredContent = answer.structuredContent;
      if (answer.isError !== undefined) event.isError = answer.isError;
      if (answer.usage !== undefined) event.usage = answer.usage;
      if (answer.terminate !== undefined) terminate = answer.terminate;
    } catch (error) {
      return withhold(errorText(error));
    }
  }
  const { structuredContent: _structured, usage: _usage, ...rest } = end.result;
  // What a handler answered, or put into the event, is no more to be relied on than what a tool gave.
  const read = readResult({
    ...rest,
    content: event.content,
    details: event.details,
    ...(event.usage === undefined ? {} : { usage: event.usage }),
    ...(terminate === undefined ? {} : { terminate }),
  });
  if (!read.ok) return withhold("it gave a result that cannot be read");
  const { structuredContent } = event;
  const given: unknown = event.isError;
  const isError = given === true;
  if (structuredContent === undefined) return { result: read.result, isError };
  if (structuredContent === end.result.structuredContent)
    return { result: { ...read.result, structuredContent }, isError };
  const plain = plainData(structuredContent);
  return plain.ok
    ? { result: { ...read.result, structuredContent: plain.value }, isError }
    : withhold(
        `it gave structured content that is not plain JSON at ${plain.path || "root"}: ${plain.message}`,
      );
}
