import type { CallTrace, TraceCall } from "@nestbox/calls";
import { showText } from "@nestbox/policy";

/** Calls that are shown; the exported file has them all. */
const MAX_SHOWN_CALLS = 200;
const MAX_ARGUMENT_CHARS = 80;
const MAX_ERROR_CHARS = 120;

const MARKS = { ok: "✓", error: "✗", denied: "⊘", cancelled: "–", running: "…" } as const;

/** The tree of calls as lines of text: mark, name, arguments, time, and the rule that decided. */
export function traceLines(trace: CallTrace): readonly string[] {
  const lines: string[] = [];
  let left = 0;
  const draw = (calls: readonly TraceCall[], indent: string): void => {
    for (const [index, call] of calls.entries()) {
      const last = index === calls.length - 1;
      if (lines.length >= MAX_SHOWN_CALLS) left++;
      else lines.push(`${indent}${last ? "└ " : "├ "}${callLine(call)}`);
      draw(call.children, `${indent}${last ? "  " : "│ "}`);
    }
  };
  draw(trace.calls, "");
  if (left > 0) lines.push(`… ${left} more calls`);
  if (trace.omitted > 0) lines.push(`… ${trace.omitted} calls were not kept`);
  return [`Last run: ${Math.round(trace.durationMs)} ms`, ...lines];
}

function callLine(call: TraceCall): string {
  const args = call.arguments === undefined || call.arguments === "{}" ? "" : ` ${call.arguments}`;
  const time = call.durationMs === undefined ? "" : ` ${Math.round(call.durationMs)} ms`;
  const line = call.line === undefined ? "" : ` · line ${call.line}`;
  const rule = call.decision === undefined ? "" : ` · ${call.decision.effect} by ${call.decision.rule}`;
  const error =
    call.error === undefined ? "" : ` · ${showText(call.error.replace(/\s+/g, " "), MAX_ERROR_CHARS)}`;
  const shown = `${showText(call.name, 100)}${showText(args, MAX_ARGUMENT_CHARS)}`;
  return `${MARKS[call.status]} ${shown}${time}${line}${showText(rule, 200)}${error}`;
}
