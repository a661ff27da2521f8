import { toPlainJson, type JsonValue } from "@nestbox/tool";
import type { CallWatch } from "./call-watch.ts";

export interface CacheLimits {
  /** Outcomes kept for one root call; the one unused for longest goes first. */
  readonly maxCachedResults: number;
  /** Characters of the strings and keys in one of them; a larger one is not kept. */
  readonly maxCachedChars: number;
}

/** Characters of the arguments of a call that is kept. */
const maxKeyChars = 64 * 1024;

/** What was read below one root call since something was last changed. */
export interface CallCache<T> {
  /**
   * The value kept under the key, or that of `read`. `owner` makes the values: those of another one are not given. The
   * value is plain JSON, and a copy that nobody else holds. Nothing is given and nothing is kept while another call
   * than `callId` runs that may change something, or after one did meanwhile.
   */
  get(
    key: string,
    owner: unknown,
    callId: string | undefined,
    read: () => Promise<{ readonly value: T; readonly keep: unknown }>,
  ): Promise<
    { readonly value: T; readonly kept: false } | { readonly value: JsonValue; readonly kept: true }
  >;
}

export function createCallCache<T>(limits: CacheLimits, watch: CallWatch): CallCache<T> {
  const entries = new Map<string, { readonly owner: unknown; readonly value: JsonValue }>();
  let generation = watch.generation;
  const forgetOld = (): void => {
    if (generation !== watch.generation) entries.clear();
    generation = watch.generation;
  };
  return {
    async get(key, owner, callId, read) {
      forgetOld();
      const usable = key.length <= maxKeyChars && !watch.othersRun(callId);
      const entry = usable ? entries.get(key) : undefined;
      if (entry !== undefined && entry.owner === owner) {
        // The one used last goes to the end.
        entries.delete(key);
        entries.set(key, entry);
        return { value: structuredClone(entry.value), kept: true };
      }
      const startedIn = watch.generation;
      const { value, keep } = await read();
      if (!usable || keep === undefined) return { value, kept: false };
      const plain = toPlainJson(keep, { maxChars: limits.maxCachedChars });
      if (!plain.ok || watch.generation !== startedIn) return { value, kept: false };
      forgetOld();
      entries.delete(key);
      entries.set(key, { owner, value: plain.value });
      const oldest = entries.keys().next();
      if (entries.size > limits.maxCachedResults && oldest.done !== true) entries.delete(oldest.value);
      return { value, kept: false };
    },
  };
}

/** A key for a call: JSON with sorted keys, so that the order in which arguments were written does not matter. */
export function cacheKey(path: readonly string[], args: JsonValue): string {
  return JSON.stringify([path, args], (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
