import type { CallDecision, CallGate, CallRequest, CallVerdict, PauseSource } from "@nestbox/tool";

import type { CallHistory, Decision, PolicyEngine } from "../decision.ts";
import type { ApprovalTimeout } from "./approval-queue.ts";
import type { ApprovalItem, Approver } from "./approver.ts";
import type { AuditAnswer, AuditSink } from "./audit.ts";
import type { Grant, GrantFacts, GrantStore } from "./grant.ts";
import type { Timers } from "./timers.ts";
import type { Turns } from "./turns.ts";

/** Limits of a gate, with their defaults. */
export const GATE_LIMITS = {
  /** Questions that wait at a time. */
  maxWaiting: 100,
  /** Other calls that one prompt offers to answer with. */
  maxBatch: 20,
  /** Calls that are remembered for budgets, loops and batches. */
  maxHistory: 1_000,
  /** Decisions that `decisionOf` remembers. */
  maxDecisions: 2_000,
  /** Denials that are remembered. */
  maxDenials: 1_000,
  /** How long a record, and a grant, may take to be written. */
  storeTimeoutMs: 10_000,
  /** How long a question stands. */
  approvalTimeoutMs: 3_600_000,
} as const;

/** One finished decision, for `/policy`, events and logs. */
export interface DecisionRecord {
  readonly request: CallRequest;
  readonly verdict: CallVerdict;
  /** Absent when the engine was not reached or failed. */
  readonly decision?: Decision;
  readonly answer?: AuditAnswer;
  readonly grants?: readonly Grant[];
  /** Dry run: enforcing would have denied it. */
  readonly wouldBe?: "deny";
  readonly time: number;
}

export interface GateOptions {
  readonly engine: PolicyEngine;
  /** Who answers an `ask`. Absent: an `ask` is a deny that says so. */
  readonly approver?: Approver;
  readonly audit?: AuditSink;
  /** What a call becomes when it cannot be put on record. Default `deny`. */
  readonly onAuditFailure?: "deny" | "allow";
  readonly grants?: GrantStore;
  /** Facts that bind grants and re-checks to the machine. Default: none, so that less can be remembered. */
  readonly facts?: GrantFacts;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  readonly timers?: Timers;
  readonly ids?: () => string;
  readonly timeout?: ApprovalTimeout;
  /** How long a script's first prompt waits for its other calls. Default 15 ms. */
  readonly gatherMs?: number;
  readonly limits?: Partial<Record<keyof typeof GATE_LIMITS, number>>;
  /** `dry-run`: nothing is blocked or asked except what `alwaysEnforced` names; what would have been is recorded. */
  readonly mode?: "enforce" | "dry-run";
  /** Denials that hold in a dry run too. Default: those of the built-in `leash.` rules. */
  readonly alwaysEnforced?: (decision: Decision) => boolean;
  readonly onDecision?: (record: DecisionRecord) => void;
  /** Told what went wrong inside: a throwing engine, an approver that failed, an audit that cannot be written. */
  readonly onError?: (error: unknown, where: string) => void;
  /**
   * Whether a person was just asked about exactly this call by another gate of the same session, and said yes: then
   * they are not asked twice. Denials, and whatever is allowed without a question, stay this gate's own.
   */
  readonly answeredElsewhere?: (call: AnsweredCall) => boolean;
  /** Keeps this gate's dialogs from opening beside those of another gate that reaches the same person. */
  readonly turns?: Turns;
  /**
   * A person chose, or a time limit says, that the run is to stop. Told right after the call has its answer, so that
   * aborting the run does not take the reason away; until then every further call is denied.
   */
  readonly onStop?: (request: CallRequest) => void;
  readonly onStillWaiting?: (item: ApprovalItem) => void;
}

/** One call with exactly its arguments, as it runs in its folder, and who was asked about it. */
export interface AnsweredCall {
  /** See `Approver`. */
  readonly reaches: string;
  readonly callId: string;
  readonly toolName: string;
  readonly cwd: string;
  /** SHA-256 of the canonical arguments. */
  readonly fingerprint: string;
}

/** How a call ended, as far as the host knows. */
export interface CallEnd {
  readonly isError: boolean;
  readonly durationMs?: number;
  /** What ran, where the host can tell: compared with what was decided. */
  readonly input?: unknown;
  /** What the call gave, for rules about loops: only its fingerprint is kept. */
  readonly result?: { readonly content?: unknown; readonly structuredContent?: unknown };
}

/** What a tool asks right before its effect. */
export interface RecheckRequest {
  readonly callId: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd: string;
}

export type Recheck = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** A gate that remembers: the host's {@link CallGate} and what a host may want around it. */
export interface PolicyGate extends CallGate {
  settled(
    request: Pick<CallRequest, "callId"> & Partial<CallRequest>,
    end: CallEnd,
  ): { readonly changed: boolean };
  /**
   * The last look, next to the effect: the same arguments, the same folder, the same files, and a policy that still
   * says so. Each decision can be used once.
   */
  recheck(request: RecheckRequest): Recheck;
  /** How a call was decided; the newest 2,000 are kept. */
  decisionOf(callId: string): CallDecision | undefined;
  /** Whether a person approved exactly this call when this gate asked, and the call has not ended. */
  answeredByPerson(call: AnsweredCall): boolean;
  /** Closes every question of this call and of the calls below it. */
  cancel(callId: string): void;
  cancelAll(): void;
  /**
   * A new run of the agent: what was declined in the one before may be asked again. A host that never says so has no
   * runs: there a refusal holds for one root call and the calls below it.
   */
  beginRun(): void;
  /** Says yes to what is remembered, for calls made meanwhile. */
  readonly grants: GrantStore;
  readonly history: CallHistory;
  readonly waiting: number;
  readonly pauses: PauseSource;
  pausesFor(callId: string): PauseSource;
  /** Puts a note on record. */
  note(kind: string, message: string): Promise<void>;
}
