import type { CallDecision, CallRequest, CallVerdict, PauseSource } from "@nestbox/tool";

import type { Decision } from "../decision.ts";
import { likeness } from "../engine/likeness.ts";
import { approvalItem } from "./approval-item.ts";
import { createApprovalQueue, type ApprovalOutcome } from "./approval-queue.ts";
import { createApprovals } from "./approvals.ts";
import type { Approver, Remember } from "./approver.ts";
import type { AuditAnswer, AuditRecord } from "./audit.ts";
import { bindingText } from "./binding.ts";
import { keepNewest } from "./bounded.ts";
import { createDenialMemory } from "./denial-memory.ts";
import { factsWithoutFileSystem } from "./facts.ts";
import { fingerprint } from "./fingerprint.ts";
import { GATE_LIMITS, type AnsweredCall, type GateOptions, type PolicyGate } from "./gate-types.ts";
import type { Grant, GrantSubject } from "./grant.ts";
import { askingParts, createMemoryGrants, findGrants, makeGrant } from "./grants.ts";
import { createHistory, rootOf, writesOf } from "./history.ts";
import { createInputReader } from "./input.ts";
import { redact } from "./redact.ts";
import { resultHash } from "./result-hash.ts";
import { auditOf, type Ruling } from "./ruling.ts";
import { createStopping } from "./stopping.ts";
import { tellable } from "./tellable.ts";
import { realTimers, within } from "./timers.ts";
import { noApproverText, refusalText } from "./words.ts";

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
  const { approver, engine } = options;
  const reaches = approver?.person === false ? undefined : approver?.reaches;
  const approvals = createApprovals({
    engine,
    facts,
    readInput,
    max: limits.maxDecisions,
    lenient: options.mode === "dry-run",
    history: history.view,
    reaches,
  });
  const queue =
    approver === undefined
      ? undefined
      : createApprovalQueue({
          approver,
          timers,
          clock,
          timeout: options.timeout ?? { afterMs: limits.approvalTimeoutMs, outcome: "deny" },
          maxWaiting: limits.maxWaiting,
          maxBatch: limits.maxBatch,
          gatherMs: options.gatherMs ?? 15,
          ...(options.turns === undefined ? {} : { turns: options.turns }),
          ...(options.onStillWaiting === undefined ? {} : { onStillWaiting: options.onStillWaiting }),
        });

  const failed = (error: unknown, where: string): void => {
    try {
      options.onError?.(error, where);
    } catch {
      // Telling about a failure must not become one.
    }
  };

  const listen = (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      failed(error, "listener");
    }
  };

  const stopping = createStopping({
    timers,
    tell: (request) => {
      listen(() => options.onStop?.(request));
    },
  });

  const write = async (record: AuditRecord): Promise<boolean> => {
    if (options.audit === undefined) return true;
    try {
      const written = options.audit.write(record);
      if (written !== undefined) await within(written, limits.storeTimeoutMs, timers);
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
      likeness: likeness(request.input, decision.subject),
      state: "approved",
      writes: safeWrites(decision, request),
      ...(prompted ? { prompted } : {}),
    });
  };

  /** Paths that other calls, which were allowed and have not ended, may be writing. */
  const changingNow = (request: CallRequest): readonly string[] =>
    history.view.calls
      .filter(
        ({ state, callId }) =>
          state === "approved" &&
          callId !== request.callId &&
          !request.chain.some((link) => link.callId === callId),
      )
      .flatMap(({ writes }) => writes);

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
    const granted = findGrants(grants.list(), subject, facts, {
      now: clock(),
      changing: changingNow(request),
    });
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
    if (
      reaches !== undefined &&
      elsewhere({
        reaches,
        callId: request.callId,
        toolName: request.tool.name,
        cwd: request.cwd,
        fingerprint: inputHash,
      })
    ) {
      claim(request, inputHash, decision, false);
      return {
        ...settledBy(decision, "allow", "approved by a person whom another policy asked"),
        answer: "approved-elsewhere",
      };
    }
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

  const elsewhere = (call: AnsweredCall): boolean => {
    try {
      return options.answeredElsewhere?.(call) === true;
    } catch (error) {
      failed(error, "listener");
      return false;
    }
  };

  const refused = (
    request: CallRequest,
    decision: Decision,
    inputHash: string,
    outcome: Exclude<ApprovalOutcome, { kind: "approved" }>,
  ): Ruling => {
    const reason = refusalText(decision, outcome, denials.reach(request));
    if (outcome.kind === "failed") failed(outcome.error, "approver");
    if (outcome.kind === "declined" || outcome.kind === "stop" || outcome.kind === "timeout") {
      denials.add(request, inputHash, reason);
    }
    const stop = outcome.kind === "stop" || (outcome.kind === "timeout" && outcome.outcome === "stop");
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
        failed(new Error(made.message), "remembering");
        await write({ type: "note", time: clock(), kind: "grant-refused", message: tellable(made.message) });
        return undefined;
      }
      const added = grants.add(made.grant);
      if (added !== undefined) await within(added, limits.storeTimeoutMs, timers);
      await write({
        type: "note",
        time: clock(),
        kind: "grant",
        message: tellable(`${made.grant.id} ${made.grant.scope}: ${made.grant.shown}`),
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
      const read = readInput(raw.tool, raw.input);
      if (stopping.active) {
        ruling = {
          effect: "deny",
          rule: "gate.stopped",
          layer: "built-in",
          reason: "Blocked: the run is being stopped.",
        };
      } else if (!read.ok) {
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

  const finish = async (request: CallRequest, inputHash: string, judged: Ruling): Promise<CallVerdict> => {
    const found = { ...judged, reason: tellable(judged.reason) };
    let ruling: Ruling = found;
    let wouldBe: "deny" | undefined;
    if (options.mode === "dry-run" && found.effect === "deny" && found.decision !== undefined) {
      if (!(options.alwaysEnforced ?? holdsLeash)(found.decision)) {
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
    keepNewest(decisions, request.callId, verdict.decision, limits.maxDecisions);
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
      approvals.add(request, inputHash, ruling);
    }
    listen(() => {
      options.onDecision?.({
        request,
        verdict,
        time,
        ...(ruling.decision === undefined ? {} : { decision: ruling.decision }),
        ...(ruling.answer === undefined ? {} : { answer: ruling.answer }),
        ...(ruling.grants === undefined ? {} : { grants: ruling.grants }),
        ...(wouldBe === undefined ? {} : { wouldBe }),
      });
    });
    if (ruling.stop === true) {
      stopping.begin(request);
      queue?.cancelAll();
    }
    return verdict;
  };

  return {
    decide,
    recheck(asked) {
      try {
        const looked = approvals.recheck(asked);
        return looked.ok ? looked : { ok: false, reason: tellable(looked.reason) };
      } catch (error) {
        failed(error, "recheck");
        return { ok: false, reason: "Blocked right before it ran: the policy could not judge it." };
      }
    },
    settled(request, end) {
      const known = approvals.take(request.callId);
      history.finish(
        request.callId,
        end.result === undefined
          ? undefined
          : resultHash(request.callId, { ...end.result, isError: end.isError }),
      );
      if (known === undefined) return { changed: false };
      const ran = end.input === undefined ? undefined : readInput(known.request.tool, end.input);
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
    answeredByPerson: (call) => approvals.answeredByPerson(call),
    cancel(callId) {
      queue?.cancel(callId);
      stopping.ended(callId);
    },
    cancelAll() {
      queue?.cancelAll();
      stopping.ended();
    },
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
      await write({ type: "note", time: clock(), kind, message: tellable(message) });
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

/** The rules that keep an agent from its own policy hold in every mode. */
function holdsLeash(decision: Decision): boolean {
  return [decision, ...decision.parts].some(
    (part) => part.effect === "deny" && part.rule.startsWith("leash."),
  );
}

/** A program that answers for a person may not answer what only a person may. */
function canAsk(approver: Approver | undefined, decision: Decision): boolean {
  if (approver === undefined || approver.available?.() === false) return false;
  if (approver.person !== false) return true;
  return decision.personOnly !== true && askingParts(decision).every((part) => part.personOnly !== true);
}
