import { obj, oneOf, opt, str, type Static } from "@earendil-works/pi-schema";
import type { ApprovalItem } from "@nestbox/policy";
import { compileSchema } from "@nestbox/tool";

/** What leaves this machine: what a person needs to decide, escaped for display, and no more. */
export type Question = Pick<
  ApprovalItem,
  "callId" | "chain" | "lines" | "folder" | "reason" | "rule" | "fingerprint"
>;

export function questionOf(item: ApprovalItem): Question {
  const { callId, chain, lines, folder, reason, rule, fingerprint } = item;
  return { callId, chain, lines, folder, reason, rule, fingerprint };
}

const replySchema = obj({
  answer: oneOf(["approve", "decline"]),
  callId: str({ description: "That of the question: a yes to another call with the same arguments is none" }),
  fingerprint: str({ description: "That of the question: an answer counts for exactly these arguments" }),
  comment: opt(str({ maxLength: 500, description: "The model reads it" })),
});

/** What comes back. */
export type Reply = Static<typeof replySchema>;

/** Reads what came over the wire; `undefined` for anything that is no reply. */
export function readReply(text: string): Reply | undefined {
  try {
    const read = compileSchema(replySchema).check(JSON.parse(text));
    return read.ok ? read.value : undefined;
  } catch {
    return undefined;
  }
}
