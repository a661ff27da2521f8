import { presetDefaults, presetRules } from "./rules.ts";

/** Ids of the built-in rules and defaults that a managed or user layer can change. The leash is not among them. */
export const presetIds: ReadonlySet<string> = new Set([
  ...presetRules.filter((entry) => entry.fixed !== true).map(({ rule }) => rule.id),
  ...Object.values(presetDefaults).map(({ id }) => id),
]);
