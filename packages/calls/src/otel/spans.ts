import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import type { CallDecision } from "@nestbox/tool";
import {
  isAborted,
  isExecutionEvent,
  statusOf,
  type CancellationSource,
  type ExecutionEvent,
} from "../trace/events.ts";

export interface SpanOptions extends CancellationSource {
  /** Default: the global provider's, which does nothing until an SDK is registered. */
  readonly tracer?: Tracer;
  /** The context that root calls hang below. Default: the active one when the call begins. */
  readonly parent?: Context;
  /** How a call was decided, where events do not say (in Pi). */
  readonly decisionOf?: (callId: string) => CallDecision | undefined;
  /** Spans open at the same time; calls beyond it get none. Default 10,000. */
  readonly maxOpenSpans?: number;
}

export interface CallSpans {
  /**
   * Takes any event of any host; those that are no calls are ignored. Never throws. `context` is what Pi hands to a
   * handler next to the event.
   */
  readonly onEvent: (event: unknown, context?: unknown) => void;
  /** The context of a running call, so that a tool's own spans hang below its span. */
  contextOf(callId: string): Context | undefined;
  /** Ends the spans of calls whose end was never told. */
  close(): void;
}

/**
 * One span a call, `execute_tool <name>`, with the attributes of OpenTelemetry's conventions for generative AI and
 * `nestbox.*` ones. Neither arguments nor results nor error texts go into a span: they may hold secrets.
 */
export function createCallSpans(options: SpanOptions = {}): CallSpans {
  const tracer = options.tracer ?? trace.getTracer("@nestbox/calls");
  const maxOpenSpans = options.maxOpenSpans ?? 10_000;
  const open = new Map<string, { readonly span: Span; readonly context: Context }>();

  const start = (event: ExecutionEvent): void => {
    if (open.size >= maxOpenSpans) return;
    const parent =
      event.parentToolCallId === undefined ? undefined : open.get(event.parentToolCallId)?.context;
    const below = parent ?? options.parent ?? context.active();
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": event.toolName,
      "gen_ai.tool.call.id": event.toolCallId,
      ...(event.parentToolCallId === undefined ? {} : { "nestbox.parent_call_id": event.parentToolCallId }),
    };
    const span = tracer.startSpan(
      `execute_tool ${event.toolName}`,
      { kind: SpanKind.INTERNAL, attributes },
      below,
    );
    open.set(event.toolCallId, { span, context: trace.setSpan(below, span) });
  };

  const end = (event: ExecutionEvent, aborted: boolean): void => {
    const found = open.get(event.toolCallId);
    if (found === undefined) return;
    open.delete(event.toolCallId);
    const { span } = found;
    const decision = event.decision ?? options.decisionOf?.(event.toolCallId);
    const status = statusOf(event, decision, aborted);
    span.setAttribute("nestbox.status", status);
    span.setAttribute("nestbox.ran", event.durationMs !== undefined);
    if (decision !== undefined) {
      span.setAttribute("nestbox.decision.effect", decision.effect);
      span.setAttribute("nestbox.decision.rule", decision.rule);
      span.setAttribute("nestbox.decision.layer", decision.layer);
    }
    if (status !== "ok") {
      span.setAttribute("error.type", event.failure ?? status);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  };

  return {
    onEvent: (event, context) => {
      try {
        if (!isExecutionEvent(event)) return;
        if (event.type === "tool_execution_start") start(event);
        else if (event.type === "tool_execution_end") end(event, isAborted(options, context));
      } catch {
        // A tracer that fails is no reason to fail the call.
      }
    },
    contextOf: (callId) => open.get(callId)?.context,
    close() {
      for (const { span } of open.values()) span.end();
      open.clear();
    },
  };
}
