import PQueue from "p-queue";
import type { ToolCallOutcome } from "@nestbox/tool";
import { createGroup, type Call, type CallerOf, type CombinatorOptions } from "./group.ts";

export interface ConcurrentOptions extends CombinatorOptions {
  /** Calls at the same time. Default 16. */
  readonly concurrency?: number;
}

export type AllResult<O extends ToolCallOutcome, C extends readonly Call[]> =
  | { readonly ok: true; readonly outcomes: { readonly [K in keyof C]: O } }
  /** The first that failed; the others were cancelled. */
  | { readonly ok: false; readonly index: number; readonly outcome: O };

/** Runs all calls; the first that fails ends it and cancels the others. */
export async function all<O extends ToolCallOutcome, const C extends readonly Call[]>(
  caller: CallerOf<O>,
  calls: C,
  options: ConcurrentOptions = {},
): Promise<AllResult<O, C>> {
  const group = createGroup(caller, options);
  const queue = new PQueue({ concurrency: options.concurrency ?? 16 });
  try {
    return await new Promise<AllResult<O, C>>((resolve, reject) => {
      const running = calls.map((call, index) =>
        queue.add(async () => {
          const outcome = await group.run(call, index);
          if (outcome.isError && !group.aborted) {
            resolve({ ok: false, index, outcome });
            // What has not started never does.
            queue.clear();
            group.cancel(`Cancelled: ${call.name} failed`);
          } else if (outcome.isError) {
            // Cancelled from outside: the first answer counts, later ones are not heard.
            resolve({ ok: false, index, outcome });
          }
          return outcome;
        }),
      );
      // The outcomes are in the order of the calls, one for each.
      Promise.all(running).then((outcomes) => resolve({ ok: true, outcomes: outcomes as never }), reject);
    });
  } finally {
    group.release();
  }
}

/** Runs all calls to their end, whatever comes of them. */
export async function settled<O extends ToolCallOutcome, const C extends readonly Call[]>(
  caller: CallerOf<O>,
  calls: C,
  options: ConcurrentOptions = {},
): Promise<{ readonly [K in keyof C]: O }> {
  const outcomes = await map(caller, calls, (call) => call, options);
  // One outcome for each call, in their order.
  return outcomes as { readonly [K in keyof C]: O };
}

/** Makes one call of each item, at most `concurrency` at a time; the outcomes come in the order of the items. */
export async function map<O extends ToolCallOutcome, T>(
  caller: CallerOf<O>,
  items: readonly T[],
  toCall: (item: T, index: number) => Call,
  options: ConcurrentOptions = {},
): Promise<readonly O[]> {
  const group = createGroup(caller, options);
  const queue = new PQueue({ concurrency: options.concurrency ?? 16 });
  try {
    return await Promise.all(
      items.map((item, index) => queue.add(() => group.run(toCall(item, index), index))),
    );
  } finally {
    group.release();
  }
}
