import { unmatchable } from "./unmatchable.ts";
import { type Rule, type RuleKind, type RuleMatch, ruleKind } from "./types.ts";

type Subject = "command" | "path" | "host" | "ref";
const subjects: readonly Subject[] = ["command", "path", "host", "ref"];

/** What can be asked about one part of each kind, besides the call itself. */
const askable: Readonly<Record<RuleKind, readonly Subject[]>> = {
  command: ["command", "path", "host", "ref"],
  path: ["command", "path"],
  host: ["command", "host"],
  ref: ["command", "ref"],
  tool: [],
  limit: [],
};

/**
 * Why a rule would never hold, or an exception never leave anything out: it asks a part of a call about something that
 * the part does not have. Such a rule promises what it does not keep, so it is refused.
 */
export function subjectProblem(rule: Rule): string | undefined {
  for (const match of [rule, ...(rule.except ?? [])]) {
    const never = unmatchable(match);
    if (never !== undefined) return never;
  }
  const kind = ruleKind(rule);
  const allowed = askable[kind];
  const own = subjects.find((subject) => rule[subject] !== undefined && !allowed.includes(subject));
  if (own !== undefined) {
    return kind === "limit"
      ? `a limit or loop is about calls, not about a ${own}`
      : `a rule about a ${kind} cannot ask about a ${own}; make two rules, or name the command`;
  }
  const odd = (rule.except ?? [])
    .map((except) => exceptProblem(except, allowed))
    .find((subject) => subject !== undefined);
  return odd === undefined
    ? undefined
    : `an except of a rule about a ${kind} cannot ask about a ${odd}; write the rule about a ${odd} instead`;
}

function exceptProblem(except: RuleMatch, allowed: readonly Subject[]): Subject | undefined {
  return subjects.find((subject) => except[subject] !== undefined && !allowed.includes(subject));
}
