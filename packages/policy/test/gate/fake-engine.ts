import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, Decision, Effect, PartDecision, PolicyEngine } from "../../src/decision.ts";
import type { CallSubject, CommandFact, ResourceFact } from "../../src/subject.ts";

export interface FakeRuling {
  readonly effect: Effect;
  readonly rule?: string;
  readonly parts?: readonly PartDecision[];
  readonly resources?: readonly ResourceFact[];
  readonly commands?: readonly CommandFact[];
  readonly doubts?: CallSubject["doubts"];
  readonly personOnly?: boolean;
}

/** An engine that answers what the test says: the gate's own promises need no parser. */
export function fakeEngine(
  rule: (request: CallRequest, history: CallHistory | undefined) => FakeRuling,
): PolicyEngine {
  return {
    evaluate(request, history): Decision {
      const ruling = rule(request, history);
      const id = ruling.rule ?? `test.${ruling.effect}`;
      const part: PartDecision = {
        effect: ruling.effect,
        rule: id,
        layer: "user",
        matched: request.tool.name,
        reason: "the test says so",
        ...(ruling.personOnly === true ? { personOnly: true } : {}),
      };
      return {
        ...part,
        parts: ruling.parts ?? [part],
        modelMessage: `Blocked by ${id} (user): the test says so.`,
        personMessage: "the test says so",
        subject: {
          request,
          resources: ruling.resources ?? [],
          commands: ruling.commands ?? [],
          doubts: ruling.doubts ?? [],
          rawWords: [],
        },
      };
    },
  };
}

/** A plain command without options, wrappers or redirections. */
export function command(source: string, extra: Partial<CommandFact> = {}): CommandFact {
  const words = source.split(" ").map((raw) => ({ raw, value: raw }));
  const [first = { raw: "", value: "" }, ...rest] = words;
  return {
    argv: [first, ...rest],
    program: first.value.split("/").at(-1),
    wrappers: [],
    env: [],
    redirections: [],
    pipeline: { index: 0, length: 1 },
    cwd: ".",
    subcommand: [],
    flags: [],
    operands: rest,
    resources: [],
    known: true,
    readOnly: false,
    source,
    ...extra,
  };
}

export function call(
  callId: string,
  input: CallRequest["input"] = {},
  extra: Partial<CallRequest> = {},
): CallRequest {
  return { callId, chain: [], tool: { name: "bash" }, input, cwd: "/w", ...extra };
}
