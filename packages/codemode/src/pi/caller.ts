import type { ExtensionAPI, ExtensionToolContext } from "@earendil-works/pi-coding-agent";
import type {
  CallableTool,
  CallDecision,
  PauseSource,
  ToolCaller,
  ToolCallOutcome,
  ToolResult,
} from "@nestbox/tool";
import { messageOf } from "../shared/guards.ts";
import type { CallRows } from "./call-rows.ts";
import { CODEMODE_TOOL_NAME } from "./names.ts";

export interface PiCallerOptions {
  readonly toolCallId: string;
  readonly ctx: Pick<ExtensionToolContext, "tools" | "executeTool">;
  readonly pi: Pick<ExtensionAPI, "getAllTools">;
  readonly pauses: PauseSource;
  readonly rows: CallRows;
  readonly signal: AbortSignal | undefined;
  readonly decisionOf?: ((callId: string) => CallDecision | undefined) | undefined;
}

/**
 * The session's tools as a script may call them. Every call goes through Pi's own pipeline; what Pi holds (the
 * tools' `execute`) is not handed on.
 */
export function createPiCaller(options: PiCallerOptions): ToolCaller {
  const { toolCallId, ctx, pauses, rows, decisionOf } = options;
  return {
    tools: listTools(ctx, options.pi),
    pauses,
    async executeTool(name, args, callOptions = {}) {
      const startedAt = performance.now();
      const end = rows.start(`${toolCallId}/?`, name, argsText(args));
      // Pi's `signal` replaces the tool's own, so both are given as one.
      const signals = [options.signal, callOptions.signal].filter((signal) => signal !== undefined);
      const signal = signals.length === 0 ? undefined : AbortSignal.any(signals);
      const { onUpdate } = callOptions;
      try {
        const outcome = toOutcome(
          await ctx.executeTool(name, args, {
            ...(signal === undefined ? {} : { signal }),
            ...(onUpdate === undefined ? {} : { onUpdate: quietly(onUpdate) }),
          }),
          decisionOf,
          signal?.aborted === true,
        );
        end({
          id: outcome.toolCall.id,
          status: outcome.isError ? (outcome.failure === "cancelled" ? "cancelled" : "error") : "ok",
          durationMs: performance.now() - startedAt,
          error: outcome.isError ? textOf(outcome.result) || `Tool "${name}" failed` : undefined,
          decision: outcome.decision,
        });
        return outcome;
      } catch (error) {
        const status = signal?.aborted === true ? "cancelled" : "error";
        end({ status, durationMs: performance.now() - startedAt, error: messageOf(error) });
        throw error;
      }
    },
  };
}

type PiOutcome = Awaited<ReturnType<ExtensionToolContext["executeTool"]>>;

function toOutcome(
  outcome: PiOutcome,
  decisionOf: PiCallerOptions["decisionOf"],
  aborted: boolean,
): ToolCallOutcome & { readonly failure?: string } {
  const { toolCall, result, isError, durationMs } = outcome;
  const decision = decisionOf?.(toolCall.id);
  // A call that ran and failed with its signal aborted was cut off; Pi says no more of it than that.
  const ran = durationMs !== undefined;
  const failure = !isError
    ? undefined
    : !ran
      ? whyNotRun(toolCall.name, textOf(result))
      : aborted
        ? "cancelled"
        : undefined;
  return {
    toolCall: { type: "toolCall", id: toolCall.id, name: toolCall.name, arguments: toolCall.arguments },
    result,
    isError,
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(decision === undefined ? {} : { decision }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Pi times only what runs, so a call without a time had no effect; its text is all that says why. */
function whyNotRun(name: string, text: string): "not-found" | "invalid-arguments" | "denied" {
  if (text === `Tool ${name} not found`) return "not-found";
  return text.startsWith("Validation failed") ? "invalid-arguments" : "denied";
}

function listTools(ctx: PiCallerOptions["ctx"], pi: PiCallerOptions["pi"]): readonly CallableTool[] {
  const infos = new Map(pi.getAllTools().map((info) => [info.name, info]));
  return ctx.tools.flatMap((tool): CallableTool[] => {
    // A script starts no script.
    if (tool.name === CODEMODE_TOOL_NAME) return [];
    const info = infos.get(tool.name);
    return [
      {
        name: tool.name,
        label: tool.label,
        description: tool.description,
        parameters: tool.parameters,
        ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
        ...(info?.exposure === undefined ? {} : { exposure: info.exposure }),
        ...(info?.namespace === undefined ? {} : { namespace: info.namespace }),
        ...(info?.annotations === undefined ? {} : { annotations: info.annotations }),
        ...(info?.promptGuidelines === undefined ? {} : { promptGuidelines: info.promptGuidelines }),
      },
    ];
  });
}

/** A callback that throws would end the host. */
function quietly<T extends unknown[]>(callback: (...args: T) => void): (...args: T) => void {
  return (...args) => {
    try {
      callback(...args);
    } catch {
      // The listener's own fault; the call goes on.
    }
  };
}

function argsText(args: unknown): string {
  if (args === undefined) return "";
  try {
    return JSON.stringify(args) ?? "";
  } catch {
    return "";
  }
}

function textOf(result: ToolResult): string {
  return result.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
