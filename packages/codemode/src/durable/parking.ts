/**
 * Where a person's answer may take days: the one who asks is told at once that nobody is there, the call is not run,
 * and the run waits in its journal for the answer. With the answer the call is made again, decided again, and the
 * answer given when the policy asks; it counts for exactly the arguments that were asked about, and once.
 */
import type { JsonValue } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";

/** What an approver is asked, as far as it matters here. The prompts of `@nestbox/policy` fit it. */
export interface ParkedPrompt {
  readonly item: {
    readonly callId: string;
    readonly toolName: string;
    readonly lines: readonly string[];
    readonly chain: readonly string[];
    readonly folder: string;
    readonly reason: string;
    readonly rule: string;
    readonly layer: string;
    /** Hash of the exact arguments. */
    readonly fingerprint: string;
  };
}

export type ParkedAnswer =
  | { readonly kind: "approved" }
  | { readonly kind: "declined"; readonly comment?: string }
  | { readonly kind: "unavailable"; readonly message?: string };

/**
 * A person's decision about a call, as it is woken with. With the `fingerprint` of the question that was shown it is one
 * about nothing else: under a key that asks something else it is no approval. `by` and `at` (since the epoch) are for the one
 * who looks at the run later: the word of whoever sends it, which decides nothing.
 */
export type ParkedDecision = Exclude<ParkedAnswer, { readonly kind: "unavailable" }> & {
  readonly fingerprint?: string;
  readonly by?: string;
  readonly at?: number;
};

/** An `Approver` for the gate of `@nestbox/policy`, or for any other that asks in this way. */
export interface ParkingApprover {
  readonly typeAheadMs: 0;
  ask(prompt: ParkedPrompt, options: { readonly signal: AbortSignal }): Promise<ParkedAnswer>;
}

/** One attempt at a call. */
export interface Attempt {
  readonly answer?: { readonly fingerprint: string; readonly decision: ParkedDecision } | undefined;
  asked?: JsonValue;
}

export interface Parking {
  readonly approver: ParkingApprover;
  /** For `runDurable`: the calls under `callId` belong to this attempt until what it returns is called. */
  readonly enter: (callId: string, attempt: Attempt) => () => void;
}

const AT_A_CALL = /^\/[^/]+$/;

/** One for a process: any number of runs share its approver. */
export function createParking(): Parking {
  const attempts = new Map<string, Attempt>();
  const used = new WeakSet<Attempt>();

  function attemptOf(callId: string): { attempt: Attempt; below: string } | undefined {
    for (let id = callId; id !== ""; id = id.slice(0, Math.max(0, id.lastIndexOf("/")))) {
      const attempt = attempts.get(id);
      if (attempt !== undefined) return { attempt, below: callId.slice(id.length) };
    }
    return undefined;
  }

  return {
    approver: {
      typeAheadMs: 0,
      ask: ({ item }) => Promise.resolve(answerOf(item)),
    },
    enter(callId, attempt) {
      attempts.set(callId, attempt);
      return () => void attempts.delete(callId);
    },
  };

  function answerOf(item: ParkedPrompt["item"]): ParkedAnswer {
    const found = attemptOf(item.callId);
    if (found === undefined)
      return { kind: "unavailable", message: "This call belongs to no run that can wait" };
    const { attempt, below } = found;
    if (!AT_A_CALL.test(below)) {
      const message = "Only a script's own calls can wait for a person, not those that its tools make";
      return { kind: "unavailable", message };
    }
    const { answer } = attempt;
    if (answer !== undefined && answer.fingerprint === item.fingerprint && !used.has(attempt)) {
      used.add(attempt);
      return answer.decision;
    }
    const { toolName, lines, chain, folder, reason, rule, layer, fingerprint } = item;
    attempt.asked = { toolName, lines, chain, folder, reason, rule, layer, fingerprint };
    return { kind: "unavailable", message: "The call waits for a person, and the run with it" };
  }
}

export function readDecision(value: unknown, question: unknown): ParkedDecision {
  const about = isRecord(value) ? value["fingerprint"] : undefined;
  if (about !== undefined && about !== fingerprintOf(question))
    return { kind: "declined", comment: "The decision was about another call, or other arguments" };
  if (isRecord(value) && value["kind"] === "approved") return { kind: "approved" };
  const comment = isRecord(value) ? value["comment"] : undefined;
  // What is not clearly a yes is none.
  return { kind: "declined", ...(typeof comment === "string" ? { comment } : {}) };
}

export function fingerprintOf(question: unknown): string | undefined {
  const found = isRecord(question) ? question["fingerprint"] : undefined;
  return typeof found === "string" ? found : undefined;
}
