import { parse, type ParseError } from "jsonc-parser";

import type { PolicyEngine } from "../decision.ts";
import { isRecord } from "../is-record.ts";
import type { PolicyLayer, PolicyProblem } from "../rules/types.ts";
import { readCall } from "./explain.ts";
import { readSmallFile } from "./json-file.ts";
import type { OpenPolicy } from "./open-policy.ts";
import type { PolicyFileState } from "./policy-file.ts";

/** Largest file of cases. */
const MAX_CASES_BYTES = 8 * 1024 * 1024;

export interface PolicyTestCase {
  readonly id: string;
  readonly expected: string;
  /** `invalid`: the case itself cannot be read. `policy`: the file is a policy and holds no cases. */
  readonly actual: string;
  readonly ok: boolean;
  readonly rule?: string;
  readonly message?: string;
}

export interface PolicyTestReport {
  readonly ok: boolean;
  readonly files: readonly {
    readonly path: string;
    readonly layer: string;
    readonly state: PolicyFileState;
    readonly rules: number;
    /** `match` and `notMatch` examples that were run when it loaded. */
    readonly examples: number;
    readonly problems: readonly PolicyProblem[];
  }[];
  readonly cases: readonly PolicyTestCase[];
}

/**
 * Tests a policy before it is used: each file loads with all its examples, and each case of a file of cases is decided
 * as it says. Cases are a JSON list or JSON lines of calls with a `decision`, see `checkCall`. Nothing is run.
 */
export function testPolicy(
  policy: Pick<OpenPolicy, "engine" | "layers" | "status">,
  options: {
    readonly cwd: string;
    /** Files of cases. */
    readonly cases?: readonly string[];
  },
): PolicyTestReport {
  const layers = policy.layers();
  const files = policy.status().map(({ path, layer, state, rules, problems }) => ({
    path,
    layer,
    state,
    rules,
    problems,
    examples: countExamples(layers.find((candidate) => candidate.file === path)),
  }));
  const cases = (options.cases ?? []).flatMap((path) => runCases(policy.engine, path, options.cwd));
  return {
    ok: files.every((file) => file.problems.length === 0) && cases.every((item) => item.ok),
    files,
    cases,
  };
}

function countExamples(layer: PolicyLayer | undefined): number {
  if (layer?.ok !== true) return 0;
  return layer.policy.rules.reduce(
    (sum, rule) => sum + (rule.match?.length ?? 0) + (rule.notMatch?.length ?? 0),
    0,
  );
}

function runCases(engine: PolicyEngine, path: string, cwd: string): readonly PolicyTestCase[] {
  const broken = (message: string): readonly PolicyTestCase[] => [
    { id: path, expected: "", actual: "invalid", ok: false, message },
  ];
  let text: string | undefined;
  try {
    text = readSmallFile(path, MAX_CASES_BYTES);
  } catch (error) {
    return broken(error instanceof Error ? error.message : "the file cannot be read");
  }
  if (text === undefined) return broken("there is no such file");
  if (isPolicy(text)) {
    const message = "this is a policy, not a file of cases";
    return [{ id: path, expected: "", actual: "policy", ok: false, message }];
  }
  const list = readList(text);
  if (!Array.isArray(list)) {
    const message = "neither a JSON list nor JSON lines: this line is no JSON";
    return [{ id: `${path}:${list.badLine}`, expected: "", actual: "invalid", ok: false, message }];
  }
  return list.flatMap((item, index) => runCase(engine, item, `${path}:${index + 1}`, cwd));
}

/** One object that says what a policy says; broken or not, it was meant as one. */
function isPolicy(text: string): boolean {
  const whole: unknown = parse(text, [], { allowTrailingComma: true });
  if (!isRecord(whole) || Object.hasOwn(whole, "tool")) return false;
  return Object.hasOwn(whole, "version") || Object.hasOwn(whole, "rules");
}

function readList(text: string): unknown[] | { readonly badLine: number } {
  const errors: ParseError[] = [];
  const whole: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length === 0 && Array.isArray(whole)) return whole;
  const items: unknown[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      items.push(JSON.parse(line));
    } catch {
      return { badLine: index + 1 };
    }
  }
  return items;
}

function runCase(engine: PolicyEngine, item: unknown, at: string, cwd: string): readonly PolicyTestCase[] {
  if (typeof item !== "object" || item === null) {
    return [{ id: at, expected: "", actual: "invalid", ok: false, message: "not an object" }];
  }
  const id = "id" in item && typeof item.id === "string" ? item.id : at;
  // A line that only explains the file.
  if ("about" in item && !("tool" in item)) return [];
  const expected = "decision" in item && typeof item.decision === "string" ? item.decision : "";
  if (expected !== "allow" && expected !== "ask" && expected !== "deny") {
    return [{ id, expected, actual: "invalid", ok: false, message: "decision: none of allow, ask and deny" }];
  }
  const request = readCall(item, cwd);
  if (typeof request === "string") return [{ id, expected, actual: "invalid", ok: false, message: request }];
  const decision = engine.evaluate(request);
  return [
    {
      id,
      expected,
      actual: decision.effect,
      ok: decision.effect === expected,
      rule: decision.rule,
      message: decision.reason,
    },
  ];
}
