import type { Decision, PartDecision } from "../decision.ts";
import { showText } from "./escape.ts";

/** Longest reason, in characters. */
const MAX_REASON_CHARS = 4_096;
/** Most parts that a person's message lists. */
const MAX_LISTED_PARTS = 20;

/** What the model reads: the deciding rule and layer, what it matched, why, and one way out. */
export function modelMessage(deciding: PartDecision, instead: string | undefined): string {
  const where = `rule ${deciding.rule}, ${deciding.layer} layer`;
  if (deciding.effect === "allow") return `Allowed (${where}).`;
  const head = deciding.effect === "deny" ? `Blocked (${where})` : `Needs approval (${where})`;
  return `${head}: ${deciding.matched}. ${sentence(deciding.reason)}${instead === undefined ? "" : ` Instead: ${sentence(instead)}`}`;
}

/** What a person reads: the verdict, and for a compound every part on its own line. */
export function personMessage(
  toolName: string,
  deciding: PartDecision,
  parts: readonly PartDecision[],
): string {
  const verdict = { allow: "Allowed", ask: "Asks", deny: "Denied" }[deciding.effect];
  const head = `${verdict}: ${toolName}: ${deciding.matched}\n${sentence(deciding.reason)} (rule ${deciding.rule}, ${deciding.layer} layer)`;
  if (parts.length < 2) return head;
  const lines = parts
    .slice(0, MAX_LISTED_PARTS)
    .map((part) => `  ${part.effect.padEnd(5)} ${part.matched} (${part.rule})`);
  if (parts.length > MAX_LISTED_PARTS) lines.push(`  … and ${parts.length - MAX_LISTED_PARTS} more parts`);
  return `${head}\n${lines.join("\n")}`;
}

/** The whole decision as lines of text, for `explain`. */
export function explainDecision(decision: Decision): string {
  const { subject } = decision;
  const lines = [decision.personMessage];
  for (const doubt of subject.doubts) lines.push(`  doubt: ${doubt.kind}: ${doubt.message}`);
  lines.push(`Model: ${decision.modelMessage}`);
  return lines.join("\n");
}

/** A reason is a policy's own text, and a project's policy is not yet trusted. */
function sentence(reason: string): string {
  const text = showText(reason, MAX_REASON_CHARS);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
