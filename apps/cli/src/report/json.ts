import type { Answers, DecidedCall, PersonAnswer } from "../compose/answers.ts";
import type { WouldDeny } from "../compose/dry-run.ts";
import type { ScriptCall, ScriptOutcome } from "@nestbox/codemode";
import type { CallDecision, JsonValue } from "@nestbox/tool";

/** The object that `nestbox run --json` prints as its last line. Other people's scripts depend on these names. */
export interface RunReport {
  readonly ok: boolean;
  readonly value: JsonValue;
  readonly error: {
    readonly kind: string;
    readonly name: string;
    readonly message: string;
    readonly line: number | null;
  } | null;
  /** Text and image items, in order. */
  readonly output: readonly JsonValue[];
  /** Lines of the script's console. */
  readonly console: readonly string[];
  readonly warnings: readonly JsonValue[];
  readonly calls: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly durationMs: number | null;
    readonly decision: CallDecision | null;
    /** What a person said, where one was asked about it. */
    readonly answer?: PersonAnswer;
    readonly error?: string;
  }[];
  readonly stats: JsonValue;
  /** Of a dry run: what would have been denied. */
  readonly wouldDeny?: readonly WouldDeny[];
}

export function runReport(
  outcome: ScriptOutcome,
  answers: Pick<Answers, "of"> & Partial<Pick<Answers, "decided">>,
  wouldDeny?: readonly WouldDeny[],
): RunReport {
  const calls = identified(outcome.calls, answers.decided?.() ?? []);
  return {
    ok: outcome.ok,
    value: outcome.ok ? (outcome.value ?? null) : null,
    error: outcome.ok ? null : errorOf(outcome.error),
    output: outcome.output.flatMap((item) => (item.type === "console" ? [] : [{ ...item }])),
    console: outcome.output.flatMap((item) => (item.type === "console" ? [item.text] : [])),
    warnings: outcome.warnings.map((warning) => ({ ...warning })),
    calls: calls.map((call) => callOf(call, answers.of(call.id))),
    stats: { ...outcome.stats },
    ...(wouldDeny === undefined ? {} : { wouldDeny }),
  };
}

/** A run that could not begin. */
export function failedReport(error: {
  readonly kind: string;
  readonly name: string;
  readonly message: string;
}): RunReport {
  return {
    ok: false,
    value: null,
    error: { kind: error.kind, name: error.name, message: error.message, line: null },
    output: [],
    console: [],
    warnings: [],
    calls: [],
    stats: {},
  };
}

function errorOf(error: (ScriptOutcome & { ok: false })["error"]): RunReport["error"] {
  return { ...error, line: error.line ?? null };
}

/**
 * A script that ends before a call does has not heard the call's id: the first call of that name that was decided about,
 * and that no other is, was it.
 */
function identified(calls: readonly ScriptCall[], decided: readonly DecidedCall[]): readonly ScriptCall[] {
  const taken = new Set(calls.map(({ id }) => id));
  const free = new Map<string, DecidedCall[]>();
  for (const one of decided) {
    if (!taken.has(one.id)) {
      const same = free.get(one.name);
      if (same === undefined) free.set(one.name, [one]);
      else same.push(one);
    }
  }
  return calls.map((call) => {
    const known = call.id === "" && call.status !== "ok" ? free.get(call.name)?.shift() : undefined;
    return known === undefined ? call : { ...call, id: known.id, decision: call.decision ?? known.decision };
  });
}

function callOf(call: ScriptCall, answer: PersonAnswer | undefined): RunReport["calls"][number] {
  return {
    id: call.id,
    name: call.name,
    status: call.status === "running" ? "cancelled" : call.status,
    durationMs: call.durationMs ?? null,
    decision: call.decision ?? null,
    ...(answer === undefined ? {} : { answer }),
    ...(call.error === undefined ? {} : { error: call.error }),
  };
}
