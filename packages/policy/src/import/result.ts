import type { JsonObject } from "@nestbox/tool";

import type { Effect } from "../decision.ts";
import { effectWeight } from "../engine/strictest.ts";
import { parsePolicy } from "../rules/parse.ts";

/** What became of one statement of the other tool's file that has no exact counterpart. */
export interface ImportNote {
  /** `dropped`: nothing stands for it. `narrowed`: what stands for it says less, or allows less. */
  readonly kind: "dropped" | "narrowed";
  /** The statement as it was written. */
  readonly source: string;
  readonly message: string;
}

/** A policy file made from another tool's rules. */
export interface ImportedPolicy {
  /** The policy as data, and as the text of a file. */
  readonly policy: JsonObject;
  readonly text: string;
  readonly notes: readonly ImportNote[];
}

export type ImportResult =
  | ({ readonly ok: true } & ImportedPolicy)
  | { readonly ok: false; readonly message: string };

/** Longest file that is imported, in characters. */
export const MAX_IMPORT_CHARS = 1_000_000;

/** Collects rules under ids that are unique and tell where they came from. */
export interface PolicyDraft {
  rule(effect: Effect, source: string, fields: JsonObject): void;
  fallback(tool: string, effect: Effect): void;
  note(kind: ImportNote["kind"], source: string, message: string): void;
  finish(): ImportedPolicy;
}

/** Why a rule would not load; the same check that a file gets. */
function problemOf(rule: JsonObject): string | undefined {
  const source = JSON.stringify({ version: 1, rules: [rule] });
  const parsed = parsePolicy(source, { file: "imported", layer: "user" });
  return parsed.ok ? undefined : (parsed.problems[0]?.message ?? "it cannot be used");
}

export function createDraft(origin: string): PolicyDraft {
  const rules: JsonObject[] = [];
  const notes: ImportNote[] = [];
  const fallback = new Map<string, Effect>();
  return {
    rule(effect, source, fields) {
      const base = {
        id: `${origin}.${rules.length + 1}`,
        effect,
        reason: `Imported: ${source}`.slice(0, 500),
      };
      const { match: _match, notMatch: _notMatch, ...bare } = fields;
      const whole: JsonObject = { ...base, ...fields };
      const problem = problemOf(whole);
      if (problem === undefined) {
        rules.push(whole);
        return;
      }
      // What the other tool's examples show may differ in a detail; the rule itself can still stand.
      const alone: JsonObject = { ...base, ...bare };
      if (problemOf(alone) === undefined) {
        rules.push(alone);
        notes.push({
          kind: "narrowed",
          source,
          message: `without its examples, which do not hold here: ${problem}`,
        });
      } else notes.push({ kind: "dropped", source, message: problem });
    },
    fallback(tool, effect) {
      const before = fallback.get(tool);
      // Said twice: the stricter counts, as between rules.
      if (before === undefined || effectWeight(effect) > effectWeight(before)) fallback.set(tool, effect);
    },
    note(kind, source, message) {
      notes.push({ kind, source, message });
    },
    finish() {
      const policy: JsonObject = {
        version: 1,
        ...(fallback.size > 0 ? { fallback: Object.fromEntries(fallback) } : {}),
        rules,
      };
      return { policy, text: `${JSON.stringify(policy, undefined, 2)}\n`, notes };
    },
  };
}
