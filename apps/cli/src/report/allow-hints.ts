import type { TraceCall } from "@nestbox/calls";
import type { PolicyLayer } from "@nestbox/policy";

import { oneLine } from "./safe-text.ts";

export interface HintOptions {
  readonly calls: readonly TraceCall[];
  readonly layers: readonly PolicyLayer[];
  /** Policy files of the command line, as they were named. */
  readonly policyFiles: readonly string[];
  /** Whether a person could be asked, and so has said no. */
  readonly asked: boolean;
  /** A file as it is called from where the command was started. */
  readonly fileName: (path: string) => string;
}

/** Hints of one report; more of them would hide what happened. */
const MAX_HINTS = 5;

/**
 * What to do about calls that were denied, a line or two each: which file, which rule. What a person said no to, and
 * what the managed layer or a built-in rule decides, is not talked around.
 */
export function allowHints(options: HintOptions): readonly string[] {
  const found = new Map<string, readonly string[]>();
  for (const { name, decision } of denied(options.calls)) {
    const key = JSON.stringify([name, decision.rule, decision.layer]);
    if (!found.has(key)) found.set(key, hintOf(name, decision, options));
  }
  return [...found.values()].slice(0, MAX_HINTS).flat();
}

type Denied = TraceCall & { readonly decision: NonNullable<TraceCall["decision"]> };

function denied(calls: readonly TraceCall[]): readonly Denied[] {
  return calls.flatMap((call) => [
    ...(call.decision?.effect === "deny" ? [{ ...call, decision: call.decision }] : []),
    ...denied(call.children),
  ]);
}

function hintOf(
  tool: string,
  { rule, layer }: Denied["decision"],
  { layers, policyFiles, asked, fileName }: HintOptions,
): readonly string[] {
  const name = oneLine(tool, 100);
  if (layer === "built-in") return builtInHint(tool, rule, policyFiles, asked);
  const owner = layers.find(
    (one) => one.ok && one.name === layer && one.policy.rules.some(({ id }) => id === rule),
  );
  const own = owner?.ok === true ? owner.policy.rules.find(({ id }) => id === rule) : undefined;
  const file = owner?.file === undefined ? "a policy file" : fileName(owner.file);
  if (layer === "managed")
    return [`${name}: rule ${rule} is managed (${file}): no file of yours allows what it denies.`];
  if (own?.effect === "ask")
    return asked
      ? []
      : [
          `${name}: rule ${rule} in ${file} asks, and nobody can be asked here. Run it in a terminal, or change the rule.`,
        ];
  return own === undefined
    ? []
    : [`${name}: rule ${rule} in ${file} denies it. To allow it, change that rule.`];
}

function builtInHint(
  tool: string,
  rule: string,
  policyFiles: readonly string[],
  asked: boolean,
): readonly string[] {
  // Only what no rule speaks of: every other built-in rule is there for a reason, which its message gives.
  if (rule !== "default.annotations" || asked) return [];
  const name = oneLine(tool, 100);
  const file = policyFiles[0] ?? "policy.jsonc";
  const text = JSON.stringify({
    id: `allow-${tool.replaceAll(/[^\w-]/g, "-").slice(0, 60)}`,
    effect: "allow",
    tool,
  });
  return [
    `${name}: its annotations do not say that it is harmless, and nobody can be asked here. Run it in a terminal to be asked; or, to allow it always, put this rule into ${file}${policyFiles.length === 0 ? " and add --policy policy.jsonc" : ""}:`,
    `  ${policyFiles.length === 0 ? `{ "version": 1, "rules": [${oneLine(text, 500)}] }` : oneLine(text, 500)}`,
  ];
}
