import type { ToolCallOutcome } from "@nestbox/tool";
import { createGroup, link, type Call, type CallerOf, type CombinatorOptions } from "./group.ts";

export type FirstResult<O extends ToolCallOutcome> =
  | { readonly ok: true; readonly index: number; readonly outcome: O }
  /** Every call failed; the outcomes in the order of the calls that were made. */
  | { readonly ok: false; readonly outcomes: readonly O[] };

/** Runs all calls at once; the first that succeeds wins and the losers are cancelled. */
export async function race<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  calls: readonly Call[],
  options: CombinatorOptions = {},
): Promise<FirstResult<O>> {
  const group = createGroup(caller, options);
  try {
    return await new Promise<FirstResult<O>>((resolve, reject) => {
      // Each has its own signal, so that the winner's is not aborted with the losers'.
      const controllers = calls.map(() => new AbortController());
      const running = calls.map(async (call, index) => {
        const controller = controllers[index] ?? new AbortController();
        const unlink = link(group.signal, controller);
        const outcome = await group.run(call, index, controller.signal).finally(unlink);
        if (!outcome.isError) {
          resolve({ ok: true, index, outcome });
          const reason = new DOMException(`Cancelled: ${call.name} was faster`, "AbortError");
          for (const other of controllers) if (other !== controller) other.abort(reason);
        }
        return outcome;
      });
      Promise.all(running).then((outcomes) => resolve({ ok: false, outcomes }), reject);
    });
  } finally {
    group.release();
  }
}

/** Makes one call after the other until one succeeds. Ends early when cancelled. */
export async function fallback<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  calls: readonly Call[],
  options: CombinatorOptions = {},
): Promise<FirstResult<O>> {
  const group = createGroup(caller, options);
  const outcomes: O[] = [];
  try {
    for (const [index, call] of calls.entries()) {
      const outcome = await group.run(call, index);
      if (!outcome.isError) return { ok: true, index, outcome };
      outcomes.push(outcome);
      if (group.aborted) break;
    }
    return { ok: false, outcomes };
  } finally {
    group.release();
  }
}
