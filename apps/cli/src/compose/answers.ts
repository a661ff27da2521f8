import type { AuditAnswer, GateOptions } from "@nestbox/policy";
import type { CallDecision } from "@nestbox/tool";

/** What a person said about one call that was asked about. */
export type PersonAnswer = "once" | "this-run" | "earlier" | "no" | "stop" | "no-earlier";

/** A call of the script itself that was decided about. */
export interface DecidedCall {
  readonly id: string;
  readonly name: string;
  readonly decision: CallDecision;
}

/** The answers of one run, by call. */
export interface Answers {
  readonly onDecision: NonNullable<GateOptions["onDecision"]>;
  /** `undefined` where nobody was asked, or nobody answered. */
  of(callId: string): PersonAnswer | undefined;
  /** The calls of the script itself, in the order in which they were decided. */
  decided(): readonly DecidedCall[];
}

/** Answers that are kept; a run that asks more often than this is told without them. */
const MAX_ANSWERS = 10_000;

const WORDS: Partial<Record<AuditAnswer, PersonAnswer>> = {
  approved: "once",
  granted: "earlier",
  declined: "no",
  stopped: "stop",
  "remembered-denial": "no-earlier",
};

export function createAnswers(): Answers {
  const found = new Map<string, PersonAnswer>();
  const decided: DecidedCall[] = [];
  return {
    onDecision({ request, verdict, answer, grants = [] }) {
      if (request.chain.length <= 1 && decided.length < MAX_ANSWERS)
        decided.push({ id: request.callId, name: request.tool.name, decision: verdict.decision });
      const word = answer === undefined ? undefined : WORDS[answer];
      if (word === undefined || found.size >= MAX_ANSWERS) return;
      found.set(request.callId, word === "once" && grants.length > 0 ? "this-run" : word);
    },
    of: (callId) => found.get(callId),
    decided: () => decided,
  };
}
