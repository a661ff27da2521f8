import { CallsError } from "./errors.ts";

/** Every limit of a `ToolHost`. What exceeds one becomes an outcome with `isError`, never a rejection. */
export interface CallLimits {
  /** Nested calls below one another. Pi has no such limit. */
  readonly maxDepth: number;
  /** Calls that run at the same time at one depth; the others wait their turn. */
  readonly maxConcurrent: number;
  /** Calls that wait their turn, in the whole host. */
  readonly maxWaiting: number;
  /** Nested calls below one root call. */
  readonly maxCallsPerRoot: number;
  /** Characters of the strings and keys in one call's arguments. */
  readonly maxArgumentChars: number;
  /** Levels of nesting in one call's arguments. */
  readonly maxArgumentDepth: number;
  /** Partial results of one call that are passed on; later ones are dropped, the result never is. */
  readonly maxUpdates: number;
  /** How long a cancelled tool may take to stop before the call ends without it. */
  readonly cancelGraceMs: number;
  /** Call ids whose numbering is remembered after their end, so that a nested id is never given twice. */
  readonly maxRememberedIds: number;
  /** Outcomes that `cached` keeps below one root call; the one unused for longest goes first. */
  readonly maxCachedResults: number;
  /** Characters of the strings and keys in one of them; a larger one is not kept. */
  readonly maxCachedChars: number;
  /** Calls kept in `nestedCalls` (contract A17). */
  readonly maxRecordedCalls: number;
  /** UTF-8 bytes of one call's arguments kept in `nestedCalls`. */
  readonly maxRecordedArgumentBytes: number;
  /** UTF-8 bytes of all arguments kept in one `nestedCalls`. */
  readonly maxRecordedArgumentBytesTotal: number;
  /** Characters of an error kept in `nestedCalls`. */
  readonly maxRecordedErrorChars: number;
}

export const defaultLimits: CallLimits = {
  maxDepth: 16,
  maxConcurrent: 64,
  maxWaiting: 100_000,
  maxCallsPerRoot: 100_000,
  maxArgumentChars: 8 * 1024 * 1024,
  maxArgumentDepth: 200,
  maxUpdates: 10_000,
  cancelGraceMs: 2_000,
  maxRememberedIds: 10_000,
  maxCachedResults: 256,
  maxCachedChars: 1024 * 1024,
  maxRecordedCalls: 256,
  maxRecordedArgumentBytes: 8 * 1024,
  maxRecordedArgumentBytesTotal: 32 * 1024,
  maxRecordedErrorChars: 500,
};

/** Defaults with the given ones on top. Throws `CallsError` (`invalid-option`) for anything but a number of at least 0. */
export function resolveLimits(limits: Partial<CallLimits> = {}): CallLimits {
  const resolved = { ...defaultLimits };
  for (const key of Object.keys(defaultLimits) as (keyof CallLimits)[]) {
    const value = limits[key];
    if (value === undefined) continue;
    if (typeof value !== "number" || Number.isNaN(value) || value < 0) {
      throw new CallsError("invalid-option", `limits.${key} has to be a number of at least 0`);
    }
    resolved[key] = value;
  }
  // Without one that may run, every call would wait for ever.
  if (resolved.maxConcurrent < 1)
    throw new CallsError("invalid-option", "limits.maxConcurrent has to be at least 1");
  return resolved;
}
