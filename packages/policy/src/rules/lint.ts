import type { LayerName } from "../decision.ts";
import { type Policy, type Rule, ruleKind } from "./types.ts";

/** Something in a policy that works and is probably not meant. */
export interface LintNote {
  /** Name of the check, to look up or to leave out. */
  readonly check: string;
  /** The rule, where one is meant. */
  readonly rule?: string;
  readonly message: string;
}

/** Programs that run what they are given: an allow for one is an allow for anything. */
const runners: ReadonlySet<string> = new Set(
  "bash sh zsh dash fish env xargs sudo doas eval exec nohup timeout watch ssh npx bunx pnpx uvx python python3 node deno bun perl ruby php awk make find fd docker podman".split(
    " ",
  ),
);

/** Reads a policy for what its author may regret. Nothing here changes a decision. */
export function lintPolicy(policy: Policy, layer: LayerName): readonly LintNote[] {
  const notes: LintNote[] = [];
  const add = (check: string, message: string, rule?: Rule): void => {
    notes.push({ check, message, ...(rule === undefined ? {} : { rule: rule.id }) });
  };
  for (const rule of policy.rules) lintRule(rule, layer, add);
  for (const [name, effect] of Object.entries(policy.fallback)) {
    if (effect !== "allow") continue;
    if (layer === "project")
      add(
        "project-allow",
        `the fallback for ${JSON.stringify(name)} counts only where the user lets projects loosen`,
      );
    if (/^\*+$/.test(name))
      add(
        "broad-fallback",
        `the fallback ${JSON.stringify(name)} allows every tool that no rule names, those of every MCP server among them`,
      );
  }
  if (layer === "project" && Object.keys(policy.trust).length > 0)
    add("project-allow", "trust counts only where the user lets projects loosen");
  lintTwins(policy, add);
  return notes;
}

function lintRule(
  rule: Rule,
  layer: LayerName,
  add: (check: string, message: string, rule?: Rule) => void,
): void {
  const kind = ruleKind(rule);
  if (rule.effect !== "allow") {
    if (rule.reason === undefined) add("no-reason", "say why: the model and the person read it", rule);
    if (rule.match === undefined && kind !== "limit" && kind !== "tool")
      add("no-example", "add a match example, so that a change of the rule that loses it is refused", rule);
    return;
  }
  if (layer === "project")
    add("project-allow", "an allow of a project counts only where the user lets projects loosen", rule);
  if (rule.personOnly === true) add("no-effect", "personOnly is about asks", rule);
  for (const command of rule.command ?? []) {
    const words = "exact" in command ? command.exact : "prefix" in command ? command.prefix : command.program;
    const [program = ""] = words;
    // Any program that only reads is a bound of its own, and no fallback can say it.
    if (
      "program" in command &&
      command.readOnly !== true &&
      command.program.some((name) => /^\*+$/.test(name))
    ) {
      add("broad-allow", "it allows every program; a fallback says that more plainly", rule);
    }
    const open =
      "prefix" in command
        ? command.prefix.length === 1
        : "program" in command &&
          command.subcommand === undefined &&
          command.flags === undefined &&
          command.operands === undefined &&
          command.readOnly !== true &&
          command.regex === undefined;
    const named = "program" in command ? command.program : [program];
    const runner = named.find((name) => runners.has(name));
    if (open && runner !== undefined)
      add("runner", `${runner} runs what it is given; allow exact commands instead`, rule);
  }
  for (const tool of rule.tool ?? []) {
    if (kind === "tool" && (tool.name === "bash" || tool.name === "powershell") && rule.input === undefined) {
      add(
        "whole-shell",
        `it allows every command of ${tool.name} that no rule names; a fallback says that more plainly`,
        rule,
      );
    }
    if (tool.name?.startsWith("mcp__") === true && tool.server === undefined) {
      add(
        "mcp-name",
        'an allow by name does not reach MCP tools; name the server: { "server": "…", "name": "*" }',
        rule,
      );
    }
  }
}

/** Rules that say the same of the same with different effects: only the strictest ever decides. */
function lintTwins(policy: Policy, add: (check: string, message: string, rule?: Rule) => void): void {
  const seen = new Map<string, Rule>();
  for (const rule of policy.rules) {
    const { tool, calledBy, actor, input, command, path, host, ref, limit, loop } = rule;
    const key = JSON.stringify([tool, calledBy, actor, input, command, path, host, ref, limit, loop]);
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, rule);
    else
      add(
        "same-subject",
        `it looks at exactly what ${twin.id} looks at; only the stricter of the two decides`,
        rule,
      );
  }
}
