import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, PartDecision } from "../decision.ts";
import { showText } from "../explain/escape.ts";
import { fingerprint } from "../gate/fingerprint.ts";
import type { CallSubject } from "../subject.ts";
import type { LimitMatch, LoopMatch } from "../rules/types.ts";
import { wildcard } from "../rules/wildcard.ts";
import { partOf } from "./ask-rule.ts";
import { likeness } from "./likeness.ts";
import type { CompiledRule, EngineParts } from "./parts.ts";

type PastCall = CallHistory["calls"][number];
type Earlier = NonNullable<CallHistory["earlier"]>[number];
/** What makes two calls one for a rule about loops. */
type Alike = Pick<PastCall, "toolName" | "inputHash" | "likeness">;

/** The longest cycle of calls that is looked for. */
const MAX_CYCLE = 5;

/** Judges budgets and loops by what came before in this session. */
export function judgeLimits(
  engine: EngineParts,
  request: CallRequest,
  subject: Pick<CallSubject, "commands" | "doubts">,
  history: CallHistory | undefined,
): readonly PartDecision[] {
  const parts: PartDecision[] = [];
  const matched = showText(request.tool.name);
  let known: Alike | undefined;
  const current = (): Alike =>
    (known ??= {
      toolName: request.tool.name,
      inputHash: fingerprint(request.input),
      likeness: likeness(request.input, subject),
    });
  for (const rule of engine.limitRules) {
    const part = { request, resources: [] };
    if (rule.match.loose(part) === "no" || rule.excepts.some((except) => except.strict(part))) continue;
    const reason = limitReason(rule, request, history, current);
    if (reason !== undefined) parts.push({ ...partOf(rule, matched), reason: `${rule.reason}: ${reason}` });
  }
  return parts;
}

function limitReason(
  rule: CompiledRule,
  request: CallRequest,
  history: CallHistory | undefined,
  current: () => Alike,
): string | undefined {
  const { limit, loop } = rule.rule;
  if (limit !== undefined) return budgetReason(limit, rule, request, history);
  return loop === undefined ? undefined : loopReason(loop, history?.calls ?? [], current);
}

function budgetReason(
  limit: LimitMatch,
  rule: CompiledRule,
  request: CallRequest,
  history: CallHistory | undefined,
): string | undefined {
  const counted = scope(limit.per, rule, request, history?.calls ?? []);
  const earlier = earlierScope(limit.per, rule, request, history?.earlier ?? []);
  const sum = (key: "calls" | "prompts"): number => earlier.reduce((total, one) => total + one[key], 0);
  const made = counted.filter((call) => call.state !== "denied").length + sum("calls");
  if (limit.calls !== undefined && made >= limit.calls)
    return `${made} calls were made, and ${limit.calls} are the limit a ${limit.per}`;
  const prompts = counted.filter((call) => call.prompted === true).length + sum("prompts");
  return limit.prompts !== undefined && prompts >= limit.prompts
    ? `a person was asked ${prompts} times, and ${limit.prompts} are the limit a ${limit.per}`
    : undefined;
}

function scope(
  per: LimitMatch["per"],
  rule: CompiledRule,
  request: CallRequest,
  calls: readonly PastCall[],
): readonly PastCall[] {
  // A rule that names tools counts the calls of those tools, and one that names none counts them all.
  const own = new Set([request.callId, ...request.chain.map(({ callId }) => callId)]);
  // Some providers give the same ids in every answer: only what has not ended is this call, or one above it.
  const inside = calls.filter(
    (call) => isCounted(rule, request, call.toolName) && !(call.state === "approved" && own.has(call.callId)),
  );
  if (per === "session") return inside;
  if (per === "tool") return inside.filter((call) => call.toolName === request.tool.name);
  const root = request.chain[0]?.callId ?? request.callId;
  if (per === "chain") return inside.filter((call) => call.rootId === root);
  const script = request.chain.findLast(({ toolName }) => toolName === "codemode")?.callId;
  // Nested ids are the caller's id and a number behind a slash, at every depth (contract A16).
  return script === undefined ? [] : inside.filter((call) => call.callId.startsWith(`${script}/`));
}

/** The same for calls that are only counted any more. Of these the script is not known, so all below the root count. */
function earlierScope(
  per: LimitMatch["per"],
  rule: CompiledRule,
  request: CallRequest,
  earlier: readonly Earlier[],
): readonly Earlier[] {
  const inside = earlier.filter(({ toolName }) => isCounted(rule, request, toolName));
  if (per === "session") return inside;
  if (per === "tool") return inside.filter(({ toolName }) => toolName === request.tool.name);
  const script = request.chain.some(({ toolName }) => toolName === "codemode");
  if (per === "script" && !script) return [];
  const root = request.chain[0]?.callId ?? request.callId;
  return inside.filter(({ rootId }) => rootId === root);
}

/** Of a past call only the name is known; a rule about sources or servers counts the calls of the same tool. */
function isCounted(rule: CompiledRule, request: CallRequest, toolName: string): boolean {
  const { tool } = rule.rule;
  if (tool === undefined || toolName === request.tool.name) return true;
  return tool.some(({ name }) => name !== undefined && wildcard(name)(toolName));
}

function loopReason(loop: LoopMatch, all: readonly PastCall[], alike: () => Alike): string | undefined {
  // Neither this call nor one above it has ended.
  const calls = all.filter((call) => call.state === "done");
  const current = alike();
  if (loop.identical !== undefined && repeats(calls, current, 1, loop.identical))
    return `the same call gave the same result ${loop.identical - 1} times`;
  if (loop.cycles !== undefined) {
    for (let length = 2; length <= MAX_CYCLE; length += 1) {
      if (repeats(calls, current, length, loop.cycles))
        return `the same ${length} calls gave the same results again and again`;
    }
  }
  return undefined;
}

/** Whether this call would end the `times`-th round in a row of `length` calls, each with the result it had before. */
function repeats(calls: readonly PastCall[], current: Alike, length: number, times: number): boolean {
  const needed = length * times - 1;
  if (calls.length < needed || needed < 1) return false;
  const recent = calls.slice(-needed);
  for (const [index, call] of recent.entries()) {
    const later = index + length < needed ? recent[index + length] : undefined;
    if (
      later !== undefined &&
      (!same(call, later) || call.resultHash === undefined || call.resultHash !== later.resultHash)
    )
      return false;
  }
  // This call stands where its twin stood one round ago.
  const twin = recent[needed - length];
  if (twin === undefined || twin.resultHash === undefined || !same(twin, current)) return false;
  // A round of one and the same call is not a cycle of several.
  return length === 1 || recent.slice(-length).some((call) => !same(call, recent.at(-1) ?? call));
}

function same(a: Alike, b: Alike): boolean {
  if (a.toolName !== b.toolName) return false;
  return a.inputHash === b.inputHash || (a.likeness !== undefined && a.likeness === b.likeness);
}
