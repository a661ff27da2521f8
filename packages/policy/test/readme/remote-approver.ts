import type { ApprovalAnswer, Approver } from "@nestbox/policy";

/** Sends each question away and takes the answer that comes back; what is not clearly a yes is none. */
export function remoteApprover(send: (question: object, signal: AbortSignal) => Promise<unknown>): Approver {
  return {
    async ask({ item }, { signal }): Promise<ApprovalAnswer> {
      const { callId, chain, lines, folder, reason, rule, fingerprint } = item;
      const answer = await send({ callId, chain, lines, folder, reason, rule, fingerprint }, signal);
      if (answer === `yes ${callId} ${fingerprint}`) return { kind: "approved" };
      return answer === undefined ? { kind: "unavailable" } : { kind: "declined" };
    },
  };
}
