import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, PolicyEngine } from "../decision.ts";
import { bindingText } from "./binding.ts";
import { keepNewest } from "./bounded.ts";
import { fingerprint } from "./fingerprint.ts";
import type { AnsweredCall, Recheck, RecheckRequest } from "./gate-types.ts";
import type { GrantFacts } from "./grant.ts";
import { askingParts } from "./grants.ts";
import type { InputReader } from "./input.ts";
import type { Ruling } from "./ruling.ts";

/** One call that was allowed and has not ended. */
export interface Approved {
  readonly toolName: string;
  readonly inputHash: string;
  readonly request: CallRequest;
  readonly binding: string;
  /** The rules that a person or a grant answered. */
  readonly answered: ReadonlySet<string>;
  /** The approver was asked about this very call and said yes. */
  readonly byPerson: boolean;
  used: boolean;
}

export interface ApprovalsOptions {
  readonly engine: PolicyEngine;
  readonly facts: GrantFacts;
  readonly readInput: InputReader;
  readonly max: number;
  /** A dry run: what the policy says is not held against the call. */
  readonly lenient: boolean;
  readonly history: CallHistory;
  /** Who is asked; undefined where no other gate reaches them, or where a program answers. */
  readonly reaches: string | undefined;
}

/** The calls that may run: each once, with exactly its arguments. */
export interface Approvals {
  add(request: CallRequest, inputHash: string, ruling: Pick<Ruling, "decision" | "answer">): void;
  take(callId: string): Approved | undefined;
  recheck(asked: RecheckRequest): Recheck;
  answeredByPerson(call: AnsweredCall): boolean;
}

export function createApprovals(options: ApprovalsOptions): Approvals {
  const { engine, facts, readInput } = options;
  const approved = new Map<string, Approved>();
  const refuse = (why: string): Recheck => ({ ok: false, reason: `Blocked right before it ran: ${why}.` });

  return {
    add(request, inputHash, { decision, answer }) {
      keepNewest(
        approved,
        request.callId,
        {
          toolName: request.tool.name,
          inputHash,
          request,
          binding: decision === undefined ? "" : bindingText(request, facts, decision),
          answered: new Set(decision?.effect === "ask" ? askingParts(decision).map((part) => part.rule) : []),
          byPerson: answer === "approved",
          used: false,
        },
        options.max,
      );
    },
    take(callId) {
      const known = approved.get(callId);
      approved.delete(callId);
      return known;
    },
    recheck(asked) {
      const known = approved.get(asked.callId);
      if (known === undefined) return refuse("this call was not allowed");
      if (known.used) return refuse("the decision about this call was used already");
      const read = readInput(known.request.tool, asked.input);
      if (known.toolName !== asked.toolName || !read.ok || fingerprint(read.input) !== known.inputHash) {
        return refuse("the arguments are not those that were allowed");
      }
      const request: CallRequest = { ...known.request, input: read.input, cwd: asked.cwd };
      const others = {
        ...options.history,
        calls: options.history.calls.filter((call) => call.callId !== asked.callId),
      };
      const now = engine.evaluate(request, others);
      if (!options.lenient) {
        if (now.effect === "deny") return refuse(now.modelMessage);
        if (now.effect === "ask" && askingParts(now).some((part) => !known.answered.has(part.rule))) {
          return refuse("it would need another answer now");
        }
        if (bindingText(request, facts, now) !== known.binding)
          return refuse("a file or folder it uses has changed");
      }
      known.used = true;
      return { ok: true };
    },
    answeredByPerson({ reaches, callId, toolName, cwd, fingerprint: asked }) {
      const known = approved.get(callId);
      return (
        reaches === options.reaches &&
        known?.byPerson === true &&
        known.toolName === toolName &&
        known.request.cwd === cwd &&
        known.inputHash === asked
      );
    },
  };
}
