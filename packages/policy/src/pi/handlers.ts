import type { CallRequest, JsonValue, ToolContent } from "@nestbox/tool";

import { showText } from "../explain/escape.ts";
import { fingerprint, toPlainJson } from "../gate/fingerprint.ts";
import { deepFreeze } from "../gate/freeze.ts";
import type { PolicyGate } from "../gate/gate-types.ts";
import { createCallTracker } from "./call-tracker.ts";
import { toolOf, type PiToolInfo } from "./tool-info.ts";

/** What is used of Pi's context. */
export interface HandlerContext {
  readonly cwd: string;
  readonly signal: AbortSignal | undefined;
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, type?: "info" | "warning" | "error"): void };
}

export interface ToolCallInput {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly parentToolCallId?: string;
  readonly input: unknown;
}

export interface ToolResultInput extends ToolCallInput {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: JsonValue;
  readonly isError: boolean;
}

/** A result that something has to be said about: it becomes an error, and keeps what it was. */
export interface ChangedResult {
  content: ToolContent[];
  structuredContent?: JsonValue;
  isError: true;
}

export interface PolicyHandlersOptions<TContext extends HandlerContext> {
  /** The gate of the session as it is now. */
  readonly gate: (context: TContext) => PolicyGate;
  /** `pi.getAllTools()`. */
  readonly tools: () => readonly PiToolInfo[];
  /** Tools that change their own arguments while they run: these are not frozen, only compared afterwards. */
  readonly mutableInput?: readonly string[];
  readonly clock?: () => number;
}

/** Handlers for Pi's events; each can be registered by an extension of yours with `pi.on`. */
export interface PolicyHandlers<TContext extends HandlerContext> {
  readonly toolExecutionStart: (event: {
    readonly toolCallId: string;
    readonly toolName: string;
    readonly parentToolCallId?: string;
  }) => void;
  readonly toolCall: (
    event: ToolCallInput,
    context: TContext,
  ) => Promise<{ block: true; reason: string } | undefined>;
  readonly toolResult: (event: ToolResultInput, context: TContext) => ChangedResult | undefined;
  readonly toolExecutionEnd: (
    event: { readonly toolCallId: string; readonly isError: boolean },
    context: TContext,
  ) => void;
  readonly agentStart: (event: unknown, context: TContext) => void;
  readonly agentEnd: (event: unknown, context: TContext) => void;
}

export function createPolicyHandlers<TContext extends HandlerContext>(
  options: PolicyHandlersOptions<TContext>,
): PolicyHandlers<TContext> {
  const tracker = createCallTracker();
  const clock = options.clock ?? Date.now;
  const mutable = new Set(options.mutableInput);
  /** When each allowed call began, until its end was told. */
  const running = new Map<string, number>();

  const judge = async (
    event: ToolCallInput,
    context: TContext,
  ): Promise<{ block: true; reason: string } | undefined> => {
    const gate = options.gate(context);
    // From here on nobody can change what is being judged, while a person reads it and after.
    const frozen = !mutable.has(event.toolName) && deepFreeze(event.input);
    const before = frozen ? "" : inputHash(event.input);
    const request: Omit<CallRequest, "input"> = {
      callId: event.toolCallId,
      chain: tracker.chain(event.parentToolCallId),
      tool: toolOf(event.toolName, options.tools()),
      cwd: context.cwd,
      actor: "agent",
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    };
    const verdict = await gate.decide(withInput(request, event.input));
    if (verdict.effect !== "allow") return { block: true, reason: verdict.reason };
    if (!frozen && inputHash(event.input) !== before) {
      gate.settled({ callId: event.toolCallId }, { isError: true });
      return { block: true, reason: "Blocked: the arguments were changed while they were being judged." };
    }
    running.set(event.toolCallId, clock());
    return undefined;
  };

  const compare = (event: ToolResultInput, context: TContext): ChangedResult | undefined => {
    const began = running.get(event.toolCallId);
    if (began === undefined) return undefined;
    running.delete(event.toolCallId);
    const { changed } = options.gate(context).settled(
      { callId: event.toolCallId },
      {
        isError: event.isError,
        durationMs: Math.max(0, clock() - began),
        input: event.input,
        result: event,
      },
    );
    if (!changed) return undefined;
    const text = `Policy: ${showText(event.toolName, 200)} ran with other arguments than those that were allowed; this is on record.`;
    if (context.hasUI) context.ui.notify(text, "warning");
    return noted(event, text);
  };

  return {
    toolExecutionStart(event) {
      tracker.started(event.toolCallId, event.toolName, event.parentToolCallId);
    },

    async toolCall(event, context) {
      try {
        return await judge(event, context);
      } catch {
        // Pi blocks after a throw as well, but would hand the error's own words to the model.
        return { block: true, reason: "Blocked: the policy could not judge this call. Tell the person." };
      }
    },

    toolResult(event, context) {
      try {
        return compare(event, context);
      } catch {
        // A throw here would let the result pass as if it had been looked at.
        return noted(
          event,
          `Policy: whether ${showText(event.toolName, 200)} ran with the arguments that were allowed is not known.`,
        );
      }
    },

    toolExecutionEnd(event, context) {
      const gate = options.gate(context);
      // A call that has ended can no longer use an answer; the run's own signal does not say so (a cancelled script).
      gate.cancel(event.toolCallId);
      tracker.ended(event.toolCallId);
      if (running.delete(event.toolCallId))
        gate.settled({ callId: event.toolCallId }, { isError: event.isError });
    },

    agentStart(_event, context) {
      options.gate(context).beginRun();
    },

    agentEnd(_event, context) {
      options.gate(context).cancelAll();
    },
  };
}

function noted(event: ToolResultInput, text: string): ChangedResult {
  return {
    content: [...event.content, { type: "text", text }],
    ...(event.structuredContent === undefined ? {} : { structuredContent: event.structuredContent }),
    isError: true,
  };
}

/** The gate reads the arguments itself and refuses what is not a plain object, so the type is not believed here. */
function withInput(request: Omit<CallRequest, "input">, input: unknown): CallRequest {
  return Object.assign({ ...request, input: {} }, { input });
}

function inputHash(input: unknown): string {
  const plain = toPlainJson(input);
  return plain.ok ? fingerprint(plain.value) : `unreadable: ${plain.message}`;
}
