import type { JsonValue } from "@nestbox/tool";
import type { OutputItem, ScriptError, ScriptOutcome, ScriptWarning } from "../types.ts";
import type { ScriptCalls } from "./script-calls.ts";
import type { Stopwatch } from "./stopwatch.ts";
import { storeWrites } from "./store-writes.ts";

/** How a run has ended, before it is told. */
export type Ending =
  | {
      readonly ok: true;
      readonly value: JsonValue | undefined;
      readonly writes: readonly (readonly [string, string?])[];
    }
  | { readonly ok: false; readonly error: ScriptError };

/** The outcome of a run; what failed for want of a sandbox may be tried again where no call's effect had begun. */
export function outcomeOf(
  ending: Ending,
  calls: ScriptCalls,
  told: {
    readonly output: readonly OutputItem[];
    readonly warnings: readonly ScriptWarning[];
    readonly watch: Pick<Stopwatch, "wallMs" | "pausedMs">;
    readonly cpuMs: number;
    readonly heapBytes: number | undefined;
    readonly outputChars: number;
  },
): ScriptOutcome {
  const { output, warnings, watch, cpuMs, heapBytes, outputChars } = told;
  const { wallMs, pausedMs } = watch;
  const heap = heapBytes === undefined ? {} : { heapBytes };
  const stats = { wallMs, cpuMs, pausedMs, calls: calls.count, outputChars, ...heap };
  const common = { output, calls: calls.records(), warnings, stats };
  if (ending.ok) return { ok: true, value: ending.value, storeWrites: storeWrites(ending.writes), ...common };
  const retryable = !calls.anyBegan && ending.error.kind === "sandbox";
  return { ok: false, error: retryable ? { ...ending.error, retryable } : ending.error, ...common };
}
