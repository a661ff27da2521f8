import type { JsonObject } from "@nestbox/tool";

import type { Effect } from "../decision.ts";

/** What became of one statement of the other tool's file that has no exact counterpart. */
export interface ImportNote {
  /** `dropped`: nothing stands for it. `narrowed`: what stands for it allows less or blocks more. */
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

const STRENGTH: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

export function createDraft(origin: string): PolicyDraft {
  const rules: JsonObject[] = [];
  const notes: ImportNote[] = [];
  const fallback = new Map<string, Effect>();
  return {
    rule(effect, source, fields) {
      rules.push({
        id: `${origin}.${rules.length + 1}`,
        effect,
        ...fields,
        reason: `Imported: ${source}`.slice(0, 500),
      });
    },
    fallback(tool, effect) {
      const before = fallback.get(tool);
      // Said twice: the stricter counts, as between rules.
      if (before === undefined || STRENGTH[effect] > STRENGTH[before]) fallback.set(tool, effect);
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
