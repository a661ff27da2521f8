import type { ApprovalAnswer, Approver } from "@nestbox/policy";
import { questionOf, readReply } from "./question.ts";

export interface HttpApproverOptions {
  readonly url: string;
  readonly token: string;
}

/**
 * Asks over HTTP: one request a question, held open until somebody has answered. When the gate no longer waits, the
 * request is aborted, so that the other end can take the question off the screen.
 */
export function httpApprover({ url, token }: HttpApproverOptions): Approver {
  return {
    async ask({ item }, { signal }): Promise<ApprovalAnswer> {
      let response: Response;
      try {
        response = await fetch(url, {
          method: "POST",
          headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
          body: JSON.stringify(questionOf(item)),
          signal,
        });
      } catch {
        return { kind: "unavailable", message: "the approval server cannot be reached" };
      }
      if (!response.ok)
        return { kind: "unavailable", message: `the approval server says ${response.status}` };
      const reply = readReply(await response.text());
      // What is not clearly a yes to this very question is none.
      if (reply?.callId !== item.callId || reply.fingerprint !== item.fingerprint)
        return { kind: "unavailable", message: "the approval server answered something else" };
      if (reply.answer === "approve") return { kind: "approved" };
      return { kind: "declined", ...(reply.comment === undefined ? {} : { comment: reply.comment }) };
    },
  };
}
