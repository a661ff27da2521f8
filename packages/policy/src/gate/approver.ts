import type { CallRequest } from "@nestbox/tool";

import type { Decision } from "../decision.ts";
import type { GrantOffer } from "./grant.ts";

/** One waiting call, as it is put to a person. */
export interface ApprovalItem {
  readonly callId: string;
  readonly toolName: string;
  /** The calls that led to it, root first, this one last: `codemode › bash`. Escaped. */
  readonly chain: readonly string[];
  /** What is asked, escaped and shortened for display; several lines for a compound. */
  readonly lines: readonly string[];
  /** Size of the whole arguments as JSON, in characters, whatever was shortened. */
  readonly inputChars: number;
  /** Where it will run: the folder after symlinks, where that is known. */
  readonly folder: string;
  /** Why it is asked, in one sentence, and by which rule. */
  readonly reason: string;
  readonly rule: string;
  readonly layer: string;
  /** SHA-256 of the canonical arguments: the answer counts for exactly these. */
  readonly fingerprint: string;
  /** What may be remembered, the exact call first. Empty: this can only be answered once. */
  readonly offers: readonly GrantOffer[];
  /** For an approver that wants to draw it otherwise. */
  readonly request: CallRequest;
  readonly decision: Decision;
}

/** What is on the screen: one call, and the calls of the same root call that wait behind it. */
export interface ApprovalPrompt {
  readonly item: ApprovalItem;
  /** Other waiting calls of the same root call that one answer may cover; oldest first. */
  readonly batch: readonly ApprovalItem[];
  /** How many calls wait altogether, this one included. */
  readonly waiting: number;
}

/** What is remembered when a person says more than "once". Without `offer` an unchanged exact pattern is exact. */
export type Remember = { readonly pattern: string; readonly offer?: GrantOffer["kind"] } & (
  | { readonly kind: "session" }
  | { readonly kind: "time"; readonly forMs: number }
  | { readonly kind: "always" }
);

/**
 * A person's answer. `callIds` extends it to calls that the prompt showed in `batch`; an answer for anything else is
 * ignored. Remembering counts for the first call only: one grant a click.
 */
export type ApprovalAnswer =
  | { readonly kind: "approved"; readonly remember?: Remember; readonly callIds?: readonly string[] }
  | { readonly kind: "declined"; readonly comment?: string; readonly callIds?: readonly string[] }
  /** Declined, and the whole run is to stop. */
  | { readonly kind: "stop" }
  /** Nobody can be asked: the user interface is gone, the remote side does not answer. Not a refusal. */
  | { readonly kind: "unavailable"; readonly message?: string };

/**
 * Puts one prompt to a person. The gate calls it for one prompt at a time. When `signal` aborts, the dialog is to
 * close and the promise to settle; the gate no longer waits for it either way.
 */
export interface Approver {
  /** `false`: a program answers, not a person. What only a person may answer is then denied. Default true. */
  readonly person?: boolean;
  /**
   * Names who is reached, for example the dialogs of one session. Two gates whose approvers reach the same person ask
   * them once about one call. An approver that wraps another hands it on. Absent: nobody that another gate reaches.
   */
  readonly reaches?: string;
  /** False: do not even ask. Read before every prompt. */
  available?(): boolean;
  ask(prompt: ApprovalPrompt, options: { readonly signal: AbortSignal }): Promise<ApprovalAnswer>;
  /**
   * An approval that comes sooner than this after the prompt opened was typed for something else and is asked again;
   * the same time passes between two prompts. Milliseconds; 0 for approvers that no keyboard feeds.
   */
  readonly typeAheadMs?: number;
}
