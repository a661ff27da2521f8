import type { CallRequest } from "@nestbox/tool";

import type { CallSubject } from "./subject.ts";

export type Effect = "allow" | "ask" | "deny";

/** Strongest say first; a lower layer can only tighten unless a higher one lets it loosen. */
export type LayerName = "managed" | "user" | "project" | "built-in";

/** One part of a call (a command of a line, a resource, the tool itself) and the rule that decided it. */
export interface PartDecision {
  readonly effect: Effect;
  /** Id of the rule, or of the default: `default.annotations`, `default.fallback`, `doubt.syntax`, … */
  readonly rule: string;
  readonly layer: LayerName;
  /** What matched, escaped for display: a command's source, a resource, the tool's name. */
  readonly matched: string;
  /** Why, in one sentence. */
  readonly reason: string;
  /** An ask that no grant and no mode may answer without a person. */
  readonly personOnly?: boolean;
}

/** A decision that explains itself. */
export interface Decision extends PartDecision {
  /** Every part, the deciding one included, in the order of the call. */
  readonly parts: readonly PartDecision[];
  /** What the model is told: one rule, one way out. */
  readonly modelMessage: string;
  /** What a person is told; control and format characters are spelled out. */
  readonly personMessage: string;
  readonly subject: CallSubject;
}

/** Decides without effect: same input, same answer. Total: never throws. */
export interface PolicyEngine {
  evaluate(request: CallRequest, history?: CallHistory): Decision;
}

/** What came before in this session, for budgets, loops and batches. */
export interface CallHistory {
  readonly calls: readonly {
    readonly callId: string;
    readonly rootId: string;
    readonly toolName: string;
    readonly inputHash: string;
    /** The same for calls that a rule about loops takes for one; absent: only calls of the same arguments are. */
    readonly likeness?: string;
    readonly resultHash?: string;
    readonly state: "approved" | "denied" | "done";
    /** Paths that the call may write, absolute where known; for calls of one batch that have not finished. */
    readonly writes: readonly string[];
    readonly prompted?: boolean;
  }[];
  /** How many calls came before those, and how many of them were asked about, for budgets. */
  readonly earlier?: readonly {
    /** Absent: under several roots. */
    readonly rootId?: string;
    readonly toolName: string;
    readonly calls: number;
    readonly prompts: number;
  }[];
}
