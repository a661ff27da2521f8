import type { CallRequest } from "@nestbox/tool";

import type { LayerName } from "../decision.ts";
import { compileRule } from "../engine/compile.ts";
import { presetIds } from "../preset/ids.ts";
import { presetRules } from "../preset/rules.ts";
import { type ExampleWorld, exampleMatches } from "./examples.ts";
import { nestingProblem } from "./nesting.ts";
import { MAX_POLICY_CHARS, type ReadResult, readPolicy } from "./read.ts";
import type { Example, Policy, PolicyLayer, PolicyProblem, Rule } from "./types.ts";

export interface LoadOptions {
  /** Name of the file, for messages. */
  readonly file: string;
  readonly layer: LayerName;
  /** Whose path spellings the examples are in. Default `linux`. */
  readonly platform?: ExampleWorld["platform"];
}

export { MAX_POLICY_CHARS };

export type ParseResult =
  | { readonly ok: true; readonly policy: Policy }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

/**
 * Reads, checks and tries a policy file (JSON with comments and trailing commas): every pattern compiles, every
 * built-in id exists, and every `match` and `notMatch` example holds. A file with any problem is refused as a whole,
 * because an unknown key may be a rule that somebody relies on; the problems say where.
 */
export function parsePolicy(source: string, options: LoadOptions): ParseResult {
  const { file, layer, platform = "linux" } = options;
  const deep = source.length > MAX_POLICY_CHARS ? undefined : nestingProblem(source, file);
  if (deep !== undefined) return { ok: false, problems: [deep] };
  const read = readPolicy(source, { file, layer });
  if (!read.ok) return read;
  const problems = checkPolicy(read, file, layer, platform);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, policy: read.policy };
}

/** Like {@link parsePolicy}, as a layer for the engine: one that was refused is strict, and every call asks. */
export function loadPolicy(source: string, options: LoadOptions): PolicyLayer {
  const parsed = parsePolicy(source, options);
  return { ...parsed, name: options.layer, file: options.file };
}

function checkPolicy(
  parsed: Extract<ReadResult, { ok: true }>,
  file: string,
  layer: LayerName,
  platform: ExampleWorld["platform"],
): readonly PolicyProblem[] {
  const { policy, locate } = parsed;
  const problems: PolicyProblem[] = [];
  for (const id of Object.keys(policy.preset)) {
    if (!presetIds.has(id))
      problems.push({
        file,
        line: 1,
        column: 1,
        message: `preset: there is no built-in rule ${JSON.stringify(id)}; known: ${[...presetIds].join(", ")}`,
      });
  }
  for (const [index, rule] of policy.rules.entries()) {
    const message = ruleProblem(rule, layer, policy, platform);
    if (message !== undefined) problems.push({ file, ...locate(index, message.key), message: message.text });
  }
  for (const [id, change] of Object.entries(policy.preset)) {
    if (change === false || change.except === undefined) continue;
    const preset = presetRules.find(({ rule }) => rule.id === id)?.rule ?? { path: { outside: true } };
    const text = compileProblem({ ...preset, id, effect: "deny", except: change.except }, layer);
    if (text !== undefined) problems.push({ file, line: 1, column: 1, message: `preset: ${text}` });
  }
  return problems;
}

function ruleProblem(
  rule: Rule,
  layer: LayerName,
  policy: Policy,
  platform: ExampleWorld["platform"],
): { readonly key?: string; readonly text: string } | undefined {
  const broken = compileProblem(rule, layer) ?? (platform === "win32" ? undefined : backslashProblem(rule));
  if (broken !== undefined) return { text: broken };
  const compiled = compileRule(rule, layer, {
    programFolders: policy.trust.programFolders ?? [],
    trust: policy.trust,
    soft: false,
  });
  const world: ExampleWorld = { policy, platform };
  const wrong = (
    key: "match" | "notMatch",
    wanted: boolean,
  ): { readonly key: string; readonly text: string } | undefined => {
    const example = rule[key]?.find((one) => exampleMatches(compiled, one, world) !== wanted);
    if (example === undefined) return undefined;
    return {
      key,
      text: `rule ${rule.id}: the example ${showExample(example)} ${wanted ? "is not matched" : "is matched"}`,
    };
  };
  return wrong("match", true) ?? wrong("notMatch", false);
}

/** Elsewhere than on Windows a backslash only takes the meaning from a wildcard, so `src\x` would be `srcx`. */
function backslashProblem(rule: Rule): string | undefined {
  const globs = [rule, ...(rule.except ?? [])].flatMap(({ path }) => path?.glob ?? []);
  const odd = globs.find((glob) => /\\(?![*?[\]{}!()\\])/.test(glob));
  return odd === undefined
    ? undefined
    : `rule ${rule.id}: ${JSON.stringify(odd)}: folders are separated by /, on every system`;
}

function compileProblem(rule: Rule, layer: LayerName): string | undefined {
  try {
    compileRule(rule, layer, { programFolders: [], trust: {}, soft: false });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : "the rule cannot be compiled";
  }
}

function showExample(example: Example): string {
  return JSON.stringify(
    typeof example === "string"
      ? example
      : ({ tool: example.tool, input: example.input ?? {} } satisfies {
          tool: string;
          input: CallRequest["input"];
        }),
  );
}
