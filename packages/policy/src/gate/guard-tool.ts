import type { RunnableTool } from "@nestbox/tool";

import type { Recheck, RecheckRequest } from "./gate-types.ts";

/** Whoever can take the last look: a gate, or the policy extension of a Pi session. */
export interface Rechecker {
  recheck(request: RecheckRequest): Recheck;
}

/** A call was refused right before its effect. */
export class RecheckError extends Error {
  readonly code = "policy.recheck";
  override readonly name = "RecheckError";
}

/**
 * Wraps a tool so that its effect begins only after a last look at the decision: the same call, the same arguments, the
 * same folder and files, used once (contract B7). Throws a {@link RecheckError} otherwise, also when no gate decided.
 */
export function guardTool<T extends RunnableTool>(
  tool: T,
  rechecker: Rechecker,
  options: {
    /** Working folder where the host's context does not name one. */
    readonly cwd: string;
  },
): T {
  const { execute } = tool;
  const guarded: RunnableTool["execute"] = async (toolCallId, params, signal, onUpdate, context) => {
    const checked = rechecker.recheck({
      callId: toolCallId,
      toolName: tool.name,
      input: params,
      cwd: cwdOf(context) ?? options.cwd,
    });
    if (!checked.ok) throw new RecheckError(checked.reason);
    return execute.call(tool, toolCallId, params, signal, onUpdate, context);
  };
  return { ...tool, execute: guarded };
}

function cwdOf(context: unknown): string | undefined {
  if (typeof context !== "object" || context === null || !("cwd" in context)) return undefined;
  return typeof context.cwd === "string" ? context.cwd : undefined;
}
