import type { CallRequest } from "@nestbox/tool";

import type { Decision } from "../decision.ts";
import type { AuditAnswer, AuditDecision } from "./audit.ts";
import type { Grant } from "./grant.ts";
import { sourceKey } from "./grants.ts";
import { redact } from "./redact.ts";

/** What the steps of one decision hand on. */
export interface Ruling {
  readonly effect: "allow" | "deny";
  readonly rule: string;
  readonly layer: string;
  readonly reason: string;
  readonly decision?: Decision;
  readonly answer?: AuditAnswer;
  readonly grants?: readonly Grant[];
  readonly prompted?: boolean;
  readonly stop?: boolean;
  readonly cancelled?: boolean;
}

/** The record of one decision. */
export function auditOf(
  request: CallRequest,
  inputHash: string,
  ruling: Ruling,
  time: number,
  wouldBe: "deny" | undefined,
): AuditDecision {
  const rules = ruling.decision?.parts.map((part) => part.rule) ?? [];
  return {
    type: "decision",
    time,
    callId: request.callId,
    chain: request.chain,
    actor: request.actor ?? "agent",
    tool: request.tool.name,
    source: sourceKey(request),
    cwd: request.cwd,
    input: inputHash === "" ? null : redact(request.input),
    inputHash,
    decision: { effect: ruling.effect, rule: ruling.rule, layer: ruling.layer },
    engine: ruling.decision?.effect ?? "error",
    ...(ruling.answer === undefined ? {} : { answer: ruling.answer }),
    ...(ruling.grants?.[0] === undefined ? {} : { grant: ruling.grants.map((grant) => grant.id).join(" ") }),
    rules: [...new Set([ruling.rule, ...rules])],
    reason: ruling.reason,
    ...(wouldBe === undefined ? {} : { wouldBe }),
  };
}
