import { homedir } from "node:os";

import { getAgentDir, type ExtensionContext } from "@earendil-works/pi-coding-agent";

import type { Decision, PolicyEngine } from "../decision.ts";
import type { ApprovalTimeout } from "../gate/approval-queue.ts";
import type { Approver } from "../gate/approver.ts";
import type { AuditSink } from "../gate/audit.ts";
import { showTextLines } from "../explain/escape.ts";
import { createGate } from "../gate/gate.ts";
import type { DecisionRecord, GateOptions, PolicyGate } from "../gate/gate-types.ts";
import type { GrantFacts, GrantStore } from "../gate/grant.ts";
import { openAuditLog } from "../node/audit-log.ts";
import { defaultPolicyPaths } from "../node/default-paths.ts";
import { nodeFacts } from "../node/facts.ts";
import { openGrants } from "../node/grants-file.ts";
import { openPolicy } from "../node/open-policy.ts";
import type { PolicyFileStatus } from "../node/policy-file.ts";
import type { PolicyLayer } from "../rules/types.ts";
import { createDialogApprover } from "./dialog.ts";
import { PI_DIALOGS, type Peers } from "./peers.ts";
import { tellPerson } from "./tell-person.ts";
import { policyFilesOf, type PolicyFilesOptions } from "./policy-files.ts";

/** Longest line of a notice, in characters. */
const MAX_NOTICE_CHARS = 2_000;
/** Decisions that `/policy` can show. */
const MAX_SHOWN_DECISIONS = 50;

export interface PolicyExtensionOptions extends PolicyFilesOptions<ExtensionContext> {
  /** An engine of your own. Absent: one over `files` and `moreFiles`. */
  readonly engine?: PolicyEngine;
  readonly facts?: GrantFacts;
  /** Default: session grants in memory, others in the agent folder. */
  readonly grants?: GrantStore;
  /** `false`: no record. Default: a log in the agent folder. */
  readonly audit?: AuditSink | false;
  readonly onAuditFailure?: "deny" | "allow";
  /** Asks somebody else than Pi's dialogs: a phone, a chat, a second terminal. */
  readonly approver?: Approver;
  readonly timeout?: ApprovalTimeout;
  /** See `DialogApproverOptions`. Default: what the UI says, else 250 ms in the terminal and 0 elsewhere. */
  readonly typeAheadMs?: number;
  readonly mode?: "enforce" | "dry-run";
  readonly alwaysEnforced?: (decision: Decision) => boolean;
  /** Tools that change their own arguments while they run. */
  readonly mutableInput?: readonly string[];
  /** Hold the agent's denials against what a person types after `!`, too. Default: only rules that name persons. */
  readonly userBash?: boolean;
  /** Name of the command; `false`: none. Default `policy`. */
  readonly command?: string | false;
  readonly onDecision?: (record: DecisionRecord) => void;
  readonly onError?: (error: unknown, where: string) => void;
  readonly gate?: Pick<GateOptions, "clock" | "timers" | "ids" | "limits" | "gatherMs">;
}

/** What one Pi session holds. Made at its first event, gone at its end; nothing outlives a reload (contract A26). */
export interface PolicySession {
  readonly gate: PolicyGate;
  readonly mode: "enforce" | "dry-run";
  readonly decisions: readonly DecisionRecord[];
  engine: PolicyEngine;
  status(): readonly PolicyFileStatus[];
  layers(): readonly PolicyLayer[];
  /** The context of the newest event. */
  context: ExtensionContext;
  close(): void;
}

/** @param peers the other policies of the session, which may reach the same person. */
export function openSession(
  options: PolicyExtensionOptions,
  first: ExtensionContext,
  peers: Peers,
): PolicySession {
  const agentDir = getAgentDir();
  const paths = defaultPolicyPaths({ agentDir, cwd: first.cwd });
  const files = policyFilesOf(options, first, paths.files);
  const facts = options.facts ?? nodeFacts();
  const decisions: DecisionRecord[] = [];
  // The newest context of this very session; the handlers keep it current.
  const current = { context: first };
  const tell = (message: string, type: "warning" | "error"): void => {
    tellPerson(current.context, showTextLines(message, MAX_NOTICE_CHARS), type);
  };
  const policy =
    options.engine === undefined
      ? openPolicy({
          files,
          home: homedir(),
          cwd: first.cwd,
          projectTrusted: () => current.context.isProjectTrusted(),
          protectedPaths: [paths.grants, paths.auditDir],
          onChange: (status) => {
            if (status.state === "broken" || status.state === "last-good") tell(problemText(status), "error");
          },
        })
      : undefined;
  const engine = options.engine ?? policy?.engine;
  if (engine === undefined) throw new Error("no policy engine");
  const log =
    options.audit === undefined
      ? openAuditLog({ dir: paths.auditDir, session: first.sessionManager.getSessionId() })
      : undefined;
  const audit = options.audit === false ? undefined : (options.audit ?? log);
  const approver =
    options.approver ??
    createDialogApprover({
      ui: () => (current.context.hasUI ? current.context.ui : undefined),
      // Outside the terminal nobody's keys run ahead of a dialog.
      ...(options.typeAheadMs === undefined
        ? first.mode === "tui"
          ? {}
          : { typeAheadMs: 0 }
        : { typeAheadMs: options.typeAheadMs }),
    });
  const gate = createGate({
    engine,
    facts,
    grants:
      options.grants ?? openGrants({ path: paths.grants, onProblem: (message) => tell(message, "warning") }),
    approver,
    answeredElsewhere: (call) => peers.answered(call),
    ...(approver.reaches === PI_DIALOGS ? { turns: peers.turns } : {}),
    ...(audit === undefined ? {} : { audit }),
    ...(options.onAuditFailure === undefined ? {} : { onAuditFailure: options.onAuditFailure }),
    ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
    ...(options.mode === undefined ? {} : { mode: options.mode }),
    ...(options.alwaysEnforced === undefined ? {} : { alwaysEnforced: options.alwaysEnforced }),
    ...options.gate,
    onDecision(record) {
      decisions.push(record);
      if (decisions.length > MAX_SHOWN_DECISIONS) decisions.shift();
      options.onDecision?.(record);
    },
    onError(error, where) {
      tell(`Policy: ${where} failed: ${error instanceof Error ? error.message : "unknown error"}`, "error");
      options.onError?.(error, where);
    },
    onStop: () => {
      current.context.abort();
    },
    onStillWaiting: (item) => tell(`Still waiting for an answer about ${item.chain.join(" › ")}`, "warning"),
  });
  return {
    gate,
    mode: options.mode ?? "enforce",
    decisions,
    engine,
    status: () => policy?.status() ?? [],
    layers: () => policy?.layers() ?? [],
    get context() {
      return current.context;
    },
    set context(next) {
      current.context = next;
    },
    close() {
      gate.cancelAll();
      log?.close();
    },
  };
}

export function problemText(status: PolicyFileStatus): string {
  const first = status.problems[0];
  // What is wrong with the file as a whole stands at its very start.
  const whole = first?.line === 1 && first.column === 1;
  const where =
    first === undefined ? "" : whole ? ` Why: ${first.message}.` : ` Line ${first.line}: ${first.message}.`;
  const counts =
    status.state === "last-good"
      ? "What it said before counts."
      : "The strict built-in rules count in its place.";
  return `Policy: ${status.path} cannot be used.${where} ${counts}`;
}
