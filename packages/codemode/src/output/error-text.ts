import type { ScriptCall, ScriptError, ScriptWarning } from "../types.ts";
import { hintFor } from "./hints.ts";
import { missingAwait } from "./missing-await.ts";
import { sliceHead } from "./slice.ts";

/** Calls that a failure lists by name; more are counted. */
export const MAX_LISTED_CALLS = 200;

/** What is known of the script that failed, for hints. */
interface FailedScript {
  readonly code?: string | undefined;
  /** Exact names of the tools that it could call. */
  readonly tools?: readonly string[] | undefined;
  readonly warnings?: readonly ScriptWarning[];
}

/** The error of a failed script and what its calls had done by then, as the model reads it. */
export function errorText(
  error: ScriptError,
  calls: readonly ScriptCall[],
  script: FailedScript = {},
): string {
  return `${headOf(error, script)}\n\n${callSummary(calls)}`;
}

function headOf(error: ScriptError, { code = "", tools, warnings = [] }: FailedScript): string {
  switch (error.kind) {
    case "timeout":
      return `Script timed out: ${error.message}`;
    case "aborted":
      return `Script aborted: ${error.message}`;
    case "sandbox":
      return `Script sandbox failed: ${error.message}`;
    default: {
      const head = error.stack ?? `${error.name}: ${error.message}`;
      const hint =
        missingAwait(error, code) ??
        lostRejection(error, warnings) ??
        hintFor(error.name, error.message, tools);
      return [head, ...excerpt(error), ...(hint === undefined ? [] : [`Hint: ${hint}`])].join("\n");
    }
  }
}

/** Longest message of a lost rejection that is shown, in characters. */
const MAX_REJECTION = 500;

/** Why what a script waits for never comes: a function that was to give it has failed, and nobody was told. */
function lostRejection({ message }: ScriptError, warnings: readonly ScriptWarning[]): string | undefined {
  if (!message.includes("can never settle")) return undefined;
  const lost = warnings.find(({ kind }) => kind === "unhandled-rejection");
  if (lost === undefined) return undefined;
  return `a promise was rejected before, and nothing handled it: ${sliceHead(lost.message, MAX_REJECTION)}`;
}

/** The line of a syntax error: nothing else says what to change. */
function excerpt({ name, stack, line, column, lineText }: ScriptError): string[] {
  if (name !== "SyntaxError" || line === undefined) return [];
  const place =
    stack === undefined ? [`    at codemode.js:${line}${column === undefined ? "" : `:${column}`}`] : [];
  if (lineText === undefined) return place;
  const caret = column === undefined ? [] : [`${lineText.slice(0, column - 1).replace(/[^\t]/g, " ")}^`];
  return [...place, "", lineText, ...caret];
}

function callSummary(calls: readonly ScriptCall[]): string {
  if (calls.length === 0) return "No tool calls were made.";
  const listed = calls.slice(0, MAX_LISTED_CALLS).map((call) => `${call.name} (${statusOf(call)})`);
  const rest = calls.length - listed.length;
  if (rest > 0) listed.push(`and ${rest} more`);
  return `Tool calls made before the failure (they are not undone): ${listed.join(", ")}`;
}

/** A call that never reached its tool says so: nothing has to be looked after there. */
function statusOf({ status, began }: ScriptCall): string {
  if (status === "running") return "cancelled";
  return status === "error" && !began ? "error, did not start" : status;
}
