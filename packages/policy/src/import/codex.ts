import type { JsonObject } from "@nestbox/tool";

import type { Effect } from "../decision.ts";
import { quoteWord } from "../rules/words.ts";
import { createDraft, MAX_IMPORT_CHARS, type ImportResult, type PolicyDraft } from "./result.ts";
import { readStarlarkCalls, type StarlarkCall, type StarlarkValue } from "./starlark.ts";

const DECISIONS: ReadonlyMap<StarlarkValue, Effect> = new Map([
  ["allow", "allow"],
  ["prompt", "ask"],
  ["forbidden", "deny"],
]);

/** Most prefixes that one rule with alternatives becomes. */
const MAX_PREFIXES = 200;

/**
 * Makes a policy of a Codex rules file: each `prefix_rule` becomes a prefix rule with its examples. A file with
 * anything but calls of plain values is refused.
 */
export function importCodex(source: string): ImportResult {
  if (source.length > MAX_IMPORT_CHARS) return { ok: false, message: "the file is too long" };
  const read = readStarlarkCalls(source);
  if (!read.ok) return { ok: false, message: `line ${read.line}: ${read.message}` };
  const draft = createDraft("codex");
  for (const call of read.calls) {
    if (call.name !== "prefix_rule") {
      draft.note("dropped", `${call.name} (line ${call.line})`, "only prefix rules have a counterpart");
      continue;
    }
    const problem = importRule(draft, call);
    if (problem !== undefined) return { ok: false, message: `line ${call.line}: ${problem}` };
  }
  return { ok: true, ...draft.finish() };
}

function importRule(draft: PolicyDraft, call: StarlarkCall): string | undefined {
  const { args } = call;
  const effect = DECISIONS.get(args.get("decision") ?? "allow");
  if (effect === undefined) return "the decision is none of allow, prompt and forbidden";
  const prefixes = prefixesOf(args.get("pattern"));
  if (prefixes === undefined) return "the pattern is not a list of words";
  const match = examplesOf(args.get("match"));
  const notMatch = examplesOf(args.get("not_match"));
  if (match === undefined || notMatch === undefined) return "the examples are not lists of words or texts";
  const justification = args.get("justification");
  const source = `prefix_rule ${prefixes[0]?.join(" ") ?? ""} (line ${call.line})`;
  const fields: JsonObject = {
    command: prefixes.map((prefix) => ({ prefix })),
    ...(match.length > 0 ? { match } : {}),
    ...(notMatch.length > 0 ? { notMatch } : {}),
    ...(typeof justification === "string" && justification !== ""
      ? { instead: justification.slice(0, 500) }
      : {}),
  };
  draft.rule(effect, source, fields);
  return undefined;
}

function prefixesOf(pattern: StarlarkValue | undefined): readonly (readonly string[])[] | undefined {
  if (!isList(pattern) || pattern.length === 0) return undefined;
  let prefixes: readonly (readonly string[])[] = [[]];
  for (const element of pattern) {
    const words = isList(element) ? element : [element];
    if (words.length === 0 || !words.every((word) => typeof word === "string")) return undefined;
    prefixes = prefixes.flatMap((prefix) => words.map((word) => [...prefix, word]));
    if (prefixes.length > MAX_PREFIXES) return undefined;
  }
  return prefixes;
}

function examplesOf(value: StarlarkValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (!isList(value)) return undefined;
  const examples: string[] = [];
  for (const item of value) {
    if (typeof item === "string") examples.push(item);
    else if (isList(item) && item.every((word) => typeof word === "string")) {
      examples.push(item.map((word) => quote(word)).join(" "));
    } else return undefined;
  }
  return examples;
}

function isList(value: StarlarkValue | undefined): value is readonly StarlarkValue[] {
  return Array.isArray(value);
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoteWord(word);
}
