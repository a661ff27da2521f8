export { defaultPolicyPaths, type PolicyPaths } from "./default-paths.ts";
export { AUDIT_LIMITS, openAuditLog, type AuditLog, type AuditLogOptions } from "./audit-log.ts";
export { nodeFacts } from "./facts.ts";
export { nodePolicyFs } from "./file-system.ts";
export { nodeGitRefs } from "./git-refs.ts";
export { openGrants, type GrantsFileOptions } from "./grants-file.ts";
export { openPolicy, type OpenPolicy, type OpenPolicyOptions } from "./open-policy.ts";
export type { PolicyFile, PolicyFileState, PolicyFileStatus } from "./policy-file.ts";
export {
  readAudit,
  type AuditProblem,
  type AuditReport,
  type AuditSession,
  type ReadAuditOptions,
  type RuleHits,
} from "./read-audit.ts";
export { importClaudeCode } from "../import/claude-code.ts";
export { importCodex } from "../import/codex.ts";
export { importOpencode } from "../import/opencode.ts";
export type { ImportedPolicy, ImportNote, ImportResult } from "../import/result.ts";
export {
  checkCall,
  explain,
  explainCommand,
  type CheckResult,
  type ExplainablePolicy,
  type Explanation,
  type ExplainOptions,
} from "./explain.ts";
export { lintPolicy, type LintFinding } from "./lint-policy.ts";
export { testPolicy, type PolicyTestCase, type PolicyTestReport } from "./test-policy.ts";
