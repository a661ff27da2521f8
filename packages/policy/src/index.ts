export type { CallHistory, Decision, Effect, LayerName, PartDecision, PolicyEngine } from "./decision.ts";
export { createEngine } from "./engine/engine.ts";
export type { EngineOptions, RefResolver } from "./engine/options.ts";
export { showText } from "./explain/escape.ts";
export { explainDecision } from "./explain/messages.ts";
export type { FolderEntry, PolicyFs } from "./paths/fs.ts";
export { dangers } from "./preset/dangers.ts";
export { lintPolicy } from "./rules/lint.ts";
export type { LintNote } from "./rules/lint.ts";
export { jsonSyntaxText } from "./rules/json-syntax.ts";
export { loadPolicy, parsePolicy } from "./rules/parse.ts";
export type { LoadOptions, ParseResult } from "./rules/parse.ts";
export { policySchema } from "./rules/schema.ts";
export type {
  CommandMatch,
  Policy,
  PolicyLayer,
  PolicyProblem,
  Rule,
  RuleMatch,
  ToolMapping,
  ToolMatch,
  Trust,
} from "./rules/types.ts";
export { emptyPolicy } from "./rules/types.ts";
export type {
  CallSubject,
  CommandFact,
  Doubt,
  Redirection,
  ResourceAction,
  ResourceFact,
  Word,
} from "./subject.ts";
export type { ApprovalAnswer, ApprovalItem, ApprovalPrompt, Approver, Remember } from "./gate/approver.ts";
export type { ApprovalTimeout } from "./gate/approval-queue.ts";
export type {
  AuditAnswer,
  AuditDecision,
  AuditEnd,
  AuditNote,
  AuditRecord,
  AuditSink,
} from "./gate/audit.ts";
export { chainLine, CHAIN_START, verifyChain, type ChainCheck, type ChainProblem } from "./gate/audit.ts";
export { canonicalJson, fingerprint, sha256Hex, toPlainJson, type PlainJson } from "./gate/fingerprint.ts";
export { createGate } from "./gate/gate.ts";
export {
  GATE_LIMITS,
  type AnsweredCall,
  type CallEnd,
  type DecisionRecord,
  type GateOptions,
  type PolicyGate,
  type Recheck,
  type RecheckRequest,
} from "./gate/gate-types.ts";
export type { Grant, GrantedFile, GrantFacts, GrantOffer, GrantStore } from "./gate/grant.ts";
export { createMemoryGrants, MAX_GRANTS } from "./gate/grants.ts";
export { redact, redactText } from "./gate/redact.ts";
export { guardTool, RecheckError, type Rechecker } from "./gate/guard-tool.ts";
export { createAutoApprover } from "./gate/auto-approver.ts";
