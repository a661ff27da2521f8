import type {
  CallDecision,
  CallGate,
  CallRequest,
  CallVerdict,
  JsonObject,
  PauseSource,
} from "@nestbox/tool";

import type { CallHistory, Decision, PolicyEngine } from "../decision.ts";
import { approvalItem } from "./approval-item.ts";
import { createApprovalQueue, type ApprovalOutcome, type ApprovalTimeout } from "./approval-queue.ts";
import type { ApprovalItem, Approver, Remember } from "./approver.ts";
import type { AuditAnswer, AuditDecision, AuditRecord, AuditSink } from "./audit.ts";
import { createDenialMemory } from "./denial-memory.ts";
import { factsWithoutFileSystem } from "./facts.ts";
import { fingerprint } from "./fingerprint.ts";
import type { Grant, GrantFacts, GrantStore, GrantSubject } from "./grant.ts";
import { askingParts, createMemoryGrants, findGrants, makeGrant, sourceKey } from "./grants.ts";
import { createHistory, rootOf, writesOf } from "./history.ts";
import { createInputReader } from "./input.ts";
import { redact } from "./redact.ts";
import { realTimers, type Timers } from "./timers.ts";
import { noApproverText, refusalText } from "./words.ts";

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
  readonly limits?: Partial<typeof GATE_LIMITS>;
  /** `dry-run`: nothing is blocked or asked except what `alwaysEnforced` names; what would have been is recorded. */
  readonly mode?: "enforce" | "dry-run";
  /** Denials that hold in a dry run too. */
  readonly alwaysEnforced?: (decision: Decision) => boolean;
  readonly onDecision?: (record: DecisionRecord) => void;
  /** Told what went wrong inside: a throwing engine, an approver that failed, an audit that cannot be written. */
  readonly onError?: (error: unknown, where: string) => void;
  /** A person chose, or a time limit says, that the run is to stop. */
  readonly onStop?: (request: CallRequest) => void;
  readonly onStillWaiting?: (item: ApprovalItem) => void;
}

/** How a call ended, as far as the host knows. */
export interface CallEnd {
  readonly isError: boolean;
  readonly durationMs?: number;
  /** What ran, where the host can tell: compared with what was decided. */
  readonly input?: unknown;
  /** Fingerprint of the result, for rules about loops. */
  readonly resultHash?: string;
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
  /** Closes every question of this call and of the calls below it. */
  cancel(callId: string): void;
  cancelAll(): void;
  /** A new run of the agent: what was declined in the one before may be asked again. */
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

interface Approved {
  readonly toolName: string;
  readonly inputHash: string;
  readonly request: CallRequest;
  readonly folder: string | undefined;
  readonly binding: string;
  /** The rules that a person or a grant answered. */
  readonly answered: ReadonlySet<string>;
  used: boolean;
}

/** What the steps of one decision hand on. */
interface Ruling {
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

/**
 * Puts an engine in front of calls: asks a person where the engine says `ask`, remembers, and keeps the record.
 * Whatever fails on the way is a deny.
 */
export function createGate(options: GateOptions): PolicyGate {
  const clock = options.clock ?? Date.now;
  const ids = options.ids ?? (() => globalThis.crypto.randomUUID());
  const timers = options.timers ?? realTimers;
  const facts = options.facts ?? factsWithoutFileSystem;
  const grants = options.grants ?? createMemoryGrants();
  const limits = { ...GATE_LIMITS, ...options.limits };
  const history = createHistory(limits.maxHistory);
  const denials = createDenialMemory(limits.maxDenials);
  const readInput = createInputReader();
  const decisions = new Map<string, CallDecision>();
  const approved = new Map<string, Approved>();
  const { approver, engine } = options;
  const queue =
    approver === undefined
      ? undefined
      : createApprovalQueue({
          approver,
          timers,
          clock,
          timeout: options.timeout ?? { afterMs: limits.approvalTimeoutMs, then: "deny" },
          maxWaiting: limits.maxWaiting,
          maxBatch: limits.maxBatch,
          gatherMs: options.gatherMs ?? 15,
          ...(options.onStillWaiting === undefined ? {} : { onStillWaiting: options.onStillWaiting }),
        });

  const failed = (error: unknown, where: string): void => {
    try {
      options.onError?.(error, where);
    } catch {
      // Telling about a failure must not become one.
    }
  };

  const write = async (record: AuditRecord): Promise<boolean> => {
    if (options.audit === undefined) return true;
    try {
      await options.audit.write(record);
      return true;
    } catch (error) {
      failed(error, "audit");
      return false;
    }
  };

  /**
   * Puts an allowed call into the history in the same breath as its judgement, so that a call that is judged next sees
   * it, even when both were made at once.
   */
  const claim = (request: CallRequest, inputHash: string, decision: Decision, prompted: boolean): void => {
    history.add({
      callId: request.callId,
      rootId: rootOf(request),
      toolName: request.tool.name,
      inputHash,
      state: "approved",
      writes: safeWrites(decision, request),
      ...(prompted ? { prompted } : {}),
    });
  };

  const safeWrites = (decision: Decision, request: CallRequest): readonly string[] => {
    try {
      return writesOf(decision, request.cwd, facts);
    } catch (error) {
      failed(error, "facts");
      return [];
    }
  };

  /** From the engine's word to the last word. */
  const rule = async (request: CallRequest, inputHash: string): Promise<Ruling> => {
    const decision = engine.evaluate(request, history.view);
    if (decision.effect === "allow") {
      claim(request, inputHash, decision, false);
      return settledBy(decision, "allow", decision.modelMessage);
    }
    if (decision.effect !== "ask") return settledBy(decision, "deny", decision.modelMessage);

    const subject: GrantSubject = { request, decision, fingerprint: inputHash };
    const granted = findGrants(grants.list(), subject, facts, clock());
    if (granted !== undefined) {
      claim(request, inputHash, decision, false);
      return {
        ...settledBy(decision, "allow", "allowed by a remembered answer"),
        answer: "granted",
        grants: granted,
      };
    }
    const before = denials.find(request, inputHash);
    if (before !== undefined) return { ...settledBy(decision, "deny", before), answer: "remembered-denial" };
    if (options.mode === "dry-run")
      return { ...settledBy(decision, "deny", noApproverText(decision)), answer: "no-approver" };
    if (queue === undefined || !canAsk(approver, decision)) {
      return { ...settledBy(decision, "deny", noApproverText(decision)), answer: "no-approver" };
    }

    const bound = bindingText(request, facts, decision);
    const outcome = await queue.ask(approvalItem(subject, facts), request.signal);
    if (outcome.kind !== "approved") return refused(request, decision, inputHash, outcome);

    // The world may have moved while a person was reading: what they said counts for what they saw.
    const now = engine.evaluate(request, history.view);
    if (now.effect === "deny") return { ...settledBy(now, "deny", now.modelMessage), prompted: true };
    const answered = new Set(askingParts(decision).map((part) => part.rule));
    const fresh = now.effect === "ask" ? askingParts(now).filter((part) => !answered.has(part.rule)) : [];
    if (bindingText(request, facts, now) !== bound || fresh.length > 0) {
      const reason = `Blocked: ${decision.matched} changed while it was being asked about. It can be asked again.`;
      return { ...settledBy(decision, "deny", reason), answer: "cancelled", prompted: true };
    }
    claim(request, inputHash, now, true);
    const made = outcome.remember === undefined ? undefined : await remember(subject, outcome.remember);
    return {
      ...settledBy(decision, "allow", "approved by a person"),
      answer: "approved",
      prompted: true,
      ...(made === undefined ? {} : { grants: [made] }),
    };
  };

  const refused = (
    request: CallRequest,
    decision: Decision,
    inputHash: string,
    outcome: Exclude<ApprovalOutcome, { kind: "approved" }>,
  ): Ruling => {
    const reason = refusalText(decision, outcome);
    if (outcome.kind === "failed") failed(outcome.error, "approver");
    if (outcome.kind === "declined" || outcome.kind === "stop" || outcome.kind === "timeout") {
      denials.add(request, inputHash, reason);
    }
    const stop = outcome.kind === "stop" || (outcome.kind === "timeout" && outcome.then === "stop");
    return {
      ...settledBy(decision, "deny", reason),
      answer: ANSWERS[outcome.kind],
      prompted: outcome.kind !== "overflow" && outcome.kind !== "cancelled",
      ...(stop ? { stop } : {}),
    };
  };

  const remember = async (subject: GrantSubject, wish: Remember): Promise<Grant | undefined> => {
    try {
      const made = makeGrant(subject, wish, facts, { id: ids(), now: clock() });
      if (!made.ok) {
        await write({ type: "note", time: clock(), kind: "grant-refused", message: made.message });
        return undefined;
      }
      await grants.add(made.grant);
      await write({
        type: "note",
        time: clock(),
        kind: "grant",
        message: `${made.grant.id} ${made.grant.scope}: ${made.grant.shown}`,
      });
      return made.grant;
    } catch (error) {
      // The answer holds for this call; only the memory of it is lost.
      failed(error, "grants");
      return undefined;
    }
  };

  const decide = async (raw: CallRequest): Promise<CallVerdict> => {
    let request = raw;
    let inputHash = "";
    let ruling: Ruling;
    try {
      const read = readInput(raw);
      if (!read.ok) {
        ruling = {
          effect: "deny",
          rule: "gate.input",
          layer: "built-in",
          reason: `Blocked: ${read.message}`,
        };
      } else {
        request = { ...raw, input: read.input };
        inputHash = fingerprint(read.input);
        ruling = await rule(request, inputHash);
      }
    } catch (error) {
      failed(error, "engine");
      ruling = {
        effect: "deny",
        rule: "gate.error",
        layer: "built-in",
        reason:
          "Blocked: the policy could not judge this call because of an error of its own. Tell the person.",
      };
    }
    return finish(request, inputHash, ruling);
  };

  const finish = async (request: CallRequest, inputHash: string, found: Ruling): Promise<CallVerdict> => {
    let ruling = found;
    let wouldBe: "deny" | undefined;
    if (options.mode === "dry-run" && found.effect === "deny" && found.decision !== undefined) {
      if (options.alwaysEnforced?.(found.decision) !== true) {
        wouldBe = "deny";
        ruling = { ...found, effect: "allow", reason: `dry run: ${found.reason}` };
      }
    }
    const time = clock();
    const onRecord = await write(auditOf(request, inputHash, ruling, time, wouldBe));
    if (!onRecord && ruling.effect === "allow" && options.onAuditFailure !== "allow") {
      ruling = {
        ...ruling,
        effect: "deny",
        rule: "gate.audit",
        layer: "built-in",
        reason: "Blocked: the call could not be put on record. Tell the person.",
      };
    }
    const verdict: CallVerdict = {
      effect: ruling.effect,
      decision: { effect: ruling.effect, rule: ruling.rule, layer: ruling.layer },
      reason: ruling.reason,
    };
    keep(decisions, request.callId, verdict.decision, limits.maxDecisions);
    if (ruling.effect === "deny") {
      const call = {
        callId: request.callId,
        rootId: rootOf(request),
        toolName: request.tool.name,
        inputHash,
      };
      history.deny({
        ...call,
        state: "denied",
        writes: [],
        ...(ruling.prompted === true ? { prompted: true } : {}),
      });
    } else {
      if (wouldBe !== undefined && ruling.decision !== undefined)
        claim(request, inputHash, ruling.decision, false);
      keep(approved, request.callId, approvalOf(request, inputHash, ruling), limits.maxDecisions);
    }
    try {
      options.onDecision?.({
        request,
        verdict,
        time,
        ...(ruling.decision === undefined ? {} : { decision: ruling.decision }),
        ...(ruling.answer === undefined ? {} : { answer: ruling.answer }),
        ...(ruling.grants === undefined ? {} : { grants: ruling.grants }),
        ...(wouldBe === undefined ? {} : { wouldBe }),
      });
      if (ruling.stop === true) options.onStop?.(request);
    } catch (error) {
      failed(error, "listener");
    }
    return verdict;
  };

  const approvalOf = (request: CallRequest, inputHash: string, ruling: Ruling): Approved => ({
    toolName: request.tool.name,
    inputHash,
    request,
    folder: facts.realPath(request.cwd),
    binding: ruling.decision === undefined ? "" : bindingText(request, facts, ruling.decision),
    answered: new Set(
      ruling.decision?.effect === "ask" ? askingParts(ruling.decision).map((part) => part.rule) : [],
    ),
    used: false,
  });

  const recheck = (asked: RecheckRequest): Recheck => {
    const refuse = (why: string): Recheck => ({ ok: false, reason: `Blocked right before it ran: ${why}.` });
    try {
      const known = approved.get(asked.callId);
      if (known === undefined) return refuse("this call was not allowed");
      if (known.used) return refuse("the decision about this call was used already");
      const read = readInput({ ...known.request, input: asked.input as JsonObject });
      if (known.toolName !== asked.toolName || !read.ok || fingerprint(read.input) !== known.inputHash) {
        return refuse("the arguments are not those that were allowed");
      }
      const request: CallRequest = { ...known.request, input: read.input, cwd: asked.cwd };
      if (facts.realPath(asked.cwd) !== known.folder)
        return refuse("the folder is not the one that was allowed");
      const own = { calls: history.view.calls.filter((call) => call.callId !== asked.callId) };
      const now = engine.evaluate(request, own);
      if (options.mode !== "dry-run") {
        if (now.effect === "deny") return refuse(now.modelMessage);
        if (now.effect === "ask" && askingParts(now).some((part) => !known.answered.has(part.rule))) {
          return refuse("it would need another answer now");
        }
        if (bindingText(request, facts, now) !== known.binding)
          return refuse("a file or folder it uses has changed");
      }
      known.used = true;
      return { ok: true };
    } catch (error) {
      failed(error, "recheck");
      return refuse("the policy could not judge it");
    }
  };

  return {
    decide,
    recheck,
    settled(request, end) {
      const known = approved.get(request.callId);
      history.finish(request.callId, end.resultHash);
      approved.delete(request.callId);
      if (known === undefined) return { changed: false };
      const ran =
        end.input === undefined ? undefined : readInput({ ...known.request, input: end.input as JsonObject });
      const ranHash = ran === undefined ? known.inputHash : ran.ok ? fingerprint(ran.input) : "unreadable";
      const changed = ranHash !== known.inputHash;
      void write({
        type: "end",
        time: clock(),
        callId: request.callId,
        tool: known.toolName,
        inputHash: ranHash,
        changed,
        ...(changed && ran?.ok === true ? { input: redact(ran.input) } : {}),
        isError: end.isError,
        ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
      });
      return { changed };
    },
    decisionOf: (callId) => decisions.get(callId),
    cancel: (callId) => queue?.cancel(callId),
    cancelAll: () => queue?.cancelAll(),
    beginRun: () => {
      denials.beginRun();
    },
    grants,
    history: history.view,
    get waiting() {
      return queue?.size ?? 0;
    },
    pauses: queue?.pauses ?? NEVER_PAUSED,
    pausesFor: (callId) => queue?.pausesFor(callId) ?? NEVER_PAUSED,
    async note(kind, message) {
      await write({ type: "note", time: clock(), kind, message });
    },
  };
}

const NEVER_PAUSED: PauseSource = { subscribe: () => () => undefined };

const ANSWERS = {
  declined: "declined",
  stop: "stopped",
  timeout: "timeout",
  cancelled: "cancelled",
  unavailable: "unavailable",
  overflow: "unavailable",
  failed: "failed",
} as const satisfies Record<string, AuditAnswer>;

function settledBy(decision: Decision, effect: "allow" | "deny", reason: string): Ruling {
  return { effect, rule: decision.rule, layer: decision.layer, reason, decision };
}

/** A program that answers for a person may not answer what only a person may. */
function canAsk(approver: Approver | undefined, decision: Decision): boolean {
  if (approver === undefined || approver.available?.() === false) return false;
  if (approver.person !== false) return true;
  return decision.personOnly !== true && askingParts(decision).every((part) => part.personOnly !== true);
}

/** The folder, the paths and the files of a call as they really are now; two equal texts mean nothing has moved. */
function bindingText(request: CallRequest, facts: GrantFacts, decision: Decision): string {
  const parts: string[] = [`cwd ${facts.realPath(request.cwd) ?? "?"}`];
  const { resources, commands } = decision.subject;
  for (const resource of [...resources, ...commands.flatMap((command) => command.resources)]) {
    if (resource.kind !== "path" || resource.value === undefined) continue;
    const path = facts.resolve(facts.resolve(request.cwd, resource.base ?? "."), resource.value);
    const real = facts.realPath(path) ?? path;
    parts.push(
      `${resource.action} ${real}${resource.action === "execute" ? ` ${facts.hashFile(real) ?? "?"}` : ""}`,
    );
  }
  for (const command of commands) {
    const program = command.argv[0].value;
    if (program?.includes("/") !== true) continue;
    const path = facts.resolve(facts.resolve(request.cwd, command.cwd ?? "."), program);
    const real = facts.realPath(path) ?? path;
    parts.push(`program ${real} ${facts.hashFile(real) ?? "?"}`);
  }
  return parts.join("\n");
}

function auditOf(
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

function keep<T>(map: Map<string, T>, key: string, value: T, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
