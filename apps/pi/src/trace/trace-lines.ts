import type { CallTrace, TraceCall, TraceScript } from "@nestbox/calls";
import { showText } from "@nestbox/policy";

/** Calls that are shown; the exported file has them all. */
const MAX_SHOWN_CALLS = 200;
/** Short enough that a call with its rule is one line of an ordinary terminal. */
const MAX_ARGUMENT_CHARS = 32;
const MAX_ERROR_CHARS = 160;

const MARKS = { ok: "✓", error: "✗", denied: "⊘", cancelled: "–", running: "…" } as const;

/**
 * The tree of calls as lines of text: mark, name, arguments, time, line of the script, and the rule that decided. Why a
 * call failed stands in a line below it.
 */
export function traceLines(trace: CallTrace): readonly string[] {
  const lines: string[] = [];
  let shown = 0;
  let left = 0;
  const draw = (calls: readonly TraceCall[], indent: string): void => {
    for (const [index, call] of calls.entries()) {
      const last = index === calls.length - 1;
      const below = `${indent}${last ? "  " : "│ "}`;
      if (shown >= MAX_SHOWN_CALLS) left++;
      else {
        shown++;
        lines.push(`${indent}${last ? "└ " : "├ "}${callLine(call, scriptOf(call, trace) !== undefined)}`);
        const why = whyLine(call, scriptOf(call, trace));
        if (why !== "") lines.push(`${below}${call.children.length > 0 ? "│ " : "  "}${why}`);
      }
      draw(call.children, below);
    }
  };
  draw(trace.calls, "");
  if (left > 0) lines.push(`… ${left} more calls`);
  if (trace.omitted > 0) lines.push(`… ${trace.omitted} calls were not kept`);
  return [`Last run: ${Math.round(trace.durationMs)} ms`, ...lines];
}

function callLine(call: TraceCall, ranScript: boolean): string {
  // What a script is stands in the exported trace; here its calls say what it did.
  const hasArguments = call.arguments !== undefined && call.arguments !== "{}" && !ranScript;
  const args = hasArguments ? ` ${short(call.arguments, MAX_ARGUMENT_CHARS)}` : "";
  const time = call.durationMs === undefined ? "" : ` ${Math.round(call.durationMs)} ms`;
  const line = call.line === undefined ? "" : ` · line ${call.line}`;
  const rule = call.decision === undefined ? "" : ` · ${call.decision.effect} by ${call.decision.rule}`;
  return `${MARKS[call.status]} ${showText(call.name, 100)}${args}${time}${line}${showText(rule, 200)}`;
}

/** Why a call did not do what it should; of a script its own error, not the head of its report. */
function whyLine(call: TraceCall, script: TraceScript | undefined): string {
  if (call.error === undefined) return "";
  const error = script?.outcome?.error;
  return short(error === undefined ? call.error : `${error.name}: ${error.message}`, MAX_ERROR_CHARS);
}

/** The script that this very call ran. */
function scriptOf(call: TraceCall, { script }: CallTrace): TraceScript | undefined {
  return call.script ?? (script?.callId === call.id ? script : undefined);
}

/** The beginning of a text, on one line. */
function short(text: string, maxChars: number): string {
  const flat = text.slice(0, maxChars * 4).replace(/\s+/g, " ");
  const chars = Array.from(flat);
  const cut = chars.length > maxChars || text.length > maxChars * 4;
  return showText(cut ? `${chars.slice(0, maxChars).join("")}…` : flat, maxChars * 4);
}
