import type { CheckOutcome } from "../check/check-types.ts";
import type { ScriptStats, ScriptWarning } from "../types.ts";
import type { CallRow } from "./call-rows.ts";

/** What stands beside the result for drawing and for logs; the model does not read it. */
export interface CodemodeDetails {
  /** Nested calls, at most 256; Pi's renderers draw them. */
  readonly calls: readonly CallRow[];
  /** Calls that are not in the list any more. */
  readonly omittedCalls?: number;
  /** File with the full text, when the output was cut. */
  readonly fullOutputPath?: string;
  readonly warnings?: readonly ScriptWarning[];
  readonly stats?: ScriptStats;
  /** What checking the script found, where that is on. */
  readonly check?: CheckOutcome;
}
