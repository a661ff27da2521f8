import type { Decision } from "../decision.ts";
import type { ApprovalOutcome } from "./approval-queue.ts";
import type { DenialReach } from "./denial-memory.ts";
import { shorten } from "./display.ts";

/** What the model is told when an `ask` ended without a yes: what happened, and one way out. */
export function refusalText(
  decision: Decision,
  outcome: Exclude<ApprovalOutcome, { kind: "approved" }>,
  reach: DenialReach,
): string {
  const about = `${shorten(decision.matched, 300)} needs approval (${decision.rule}, ${decision.layer})`;
  switch (outcome.kind) {
    case "declined": {
      const comment =
        outcome.comment === undefined || outcome.comment === ""
          ? ""
          : ` They said: ${sentence(shorten(outcome.comment, 500))}`;
      return `Blocked: ${about}, and it was declined.${comment} Do not try it again in another form; go on without it or ask what to do instead.`;
    }
    case "stop":
      return `Blocked: ${about}; it was declined and the run was stopped.`;
    case "timeout": {
      const late = `Blocked: ${about}, and nobody answered within ${duration(outcome.afterMs)}`;
      if (outcome.outcome === "stop") return `${late}. Nobody refused it, but the run was stopped.`;
      return `${late}. Nobody refused it${AGAIN[reach]}. Go on without it.`;
    }
    case "cancelled":
      return `Blocked: ${about}, and the call was cancelled before anybody answered.`;
    case "overflow":
      return `Blocked: ${about}, and too many questions wait already. Make fewer calls at a time.`;
    case "unavailable":
      return `Blocked: ${about}, and nobody could be asked${outcome.message === undefined ? "" : `: ${shorten(outcome.message, 300)}`}. Go on without it.`;
    default:
      return `Blocked: ${about}, and asking failed. Go on without it.`;
  }
}

const AGAIN = {
  run: ", but it is not asked again in this run",
  script: ", but it is not asked again in this script",
  call: "",
} as const satisfies Record<DenialReach, string>;

/** What follows it begins a new one. */
function sentence(text: string): string {
  return /[.!?…]["')\]»”’]?$/.test(text.trimEnd()) ? text : `${text}.`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.round(ms / 1_000);
  return seconds === 1 ? "1 second" : `${seconds} seconds`;
}

/** No user interface and no approver (contract A8). */
export function noApproverText(decision: Decision): string {
  return `Blocked: ${shorten(decision.matched, 300)} needs approval (${decision.rule}, ${decision.layer}), and there is no UI through which a person could be asked. Go on without it, or have the policy allow it.`;
}
