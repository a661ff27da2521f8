import type { JsonValue, ToolCallOptions, ToolCallOutcome } from "@nestbox/tool";
import { readArguments } from "../read-arguments.ts";
import type { CallerOf } from "./group.ts";

export interface CacheOptions {
  /** Outcomes kept; the one unused for longest goes first. Default 256. */
  readonly maxEntries?: number;
  /** Characters of an outcome, as JSON, above which it is not kept. Default 1 Mi. */
  readonly maxChars?: number;
}

/**
 * The same caller, which answers a repeated call of a `readOnlyHint: true` tool with the outcome it had. It covers the
 * calls that go through it, and not those that the called tools make with callers of their own. A call of any other tool may have changed what was read, so it empties
 * the cache. Failures are not kept, and a call that was answered from the cache makes no event and no record.
 */
export function cached<O extends ToolCallOutcome>(
  caller: CallerOf<O>,
  { maxEntries = 256, maxChars = 1024 * 1024 }: CacheOptions = {},
): CallerOf<O> {
  const outcomes = new Map<string, O>();
  let generation = 0;

  const readOnly = (name: string): boolean =>
    caller.tools.find((tool) => tool.name === name)?.annotations?.readOnlyHint === true;

  const executeTool = async (name: string, args: unknown, options?: ToolCallOptions): Promise<O> => {
    if (!readOnly(name)) {
      try {
        return await caller.executeTool(name, args, options);
      } finally {
        // Both what was read before and what is being read now may be out of date.
        generation++;
        outcomes.clear();
      }
    }
    const plain = readArguments(args ?? {}, { maxArgumentChars: 64 * 1024, maxArgumentDepth: 50 });
    if (!plain.ok) return caller.executeTool(name, args, options);
    const key = `${name} ${canonical(plain.value)}`;
    const hit = outcomes.get(key);
    if (hit !== undefined && options?.signal?.aborted !== true) {
      outcomes.delete(key);
      outcomes.set(key, hit);
      return structuredClone(hit);
    }
    const startedIn = generation;
    const outcome = await caller.executeTool(name, plain.value, options);
    if (!outcome.isError && generation === startedIn) keep(key, outcome);
    return outcome;
  };

  const keep = (key: string, outcome: O): void => {
    try {
      if (JSON.stringify(outcome).length > maxChars) return;
      outcomes.set(key, structuredClone(outcome));
    } catch {
      // Details may hold what cannot be copied.
      return;
    }
    const oldest = outcomes.keys().next();
    if (outcomes.size > maxEntries && oldest.done !== true) outcomes.delete(oldest.value);
  };

  return {
    get tools() {
      return caller.tools;
    },
    executeTool,
    ...(caller.pauses === undefined ? {} : { pauses: caller.pauses }),
  };
}

/** JSON with sorted keys, so that the order in which arguments were written does not matter. */
function canonical(value: JsonValue): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
