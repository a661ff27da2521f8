import type { ToolCallOptions, ToolCallOutcome } from "@nestbox/tool";
import type { CallerOf } from "./group.ts";

/**
 * The same caller, which tells the ids of calls that failed after the signal they were given was aborted. In Pi nothing
 * else does, and a trace takes them for errors: `tellCancelled(ctx, trace.cancelled)`. One that throws is ignored.
 */
export function tellCancelled<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  told: (callId: string) => void,
): CallerOf<O> {
  return {
    get tools() {
      return caller.tools;
    },
    async executeTool(name, args, options?: ToolCallOptions) {
      const outcome = await caller.executeTool(name, args, options);
      if (outcome.isError && options?.signal?.aborted === true) {
        try {
          told(outcome.toolCall.id);
        } catch {
          // Whoever is told does not take part.
        }
      }
      return outcome;
    },
    ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
  };
}
