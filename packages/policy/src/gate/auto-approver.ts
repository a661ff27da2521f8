import type { Approver } from "./approver.ts";

/**
 * Says yes to every question, for a mode in which nobody wants to be asked. It is no person: what only a person may
 * answer is denied all the same, and a deny never becomes a question.
 */
export function createAutoApprover(): Approver {
  return { person: false, ask: async () => ({ kind: "approved" }) };
}
