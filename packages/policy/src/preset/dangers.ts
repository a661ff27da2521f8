import type { DangerEntry } from "@nestbox/tool";

import type { PolicyLayer, Rule } from "../rules/types.ts";
import { leashRules, presetDefaults, presetRules } from "./rules.ts";

/** Most examples of one entry. */
const MAX_EXAMPLES = 6;

/**
 * What the policies hold dangerous, as data for a tool to list (contract A3): every deny and ask about commands, paths,
 * hosts and refs, the layers' own first, then what is built in and not switched off.
 */
export function dangers(layers: readonly PolicyLayer[]): readonly DangerEntry[] {
  const loaded = layers.filter((layer) => layer.ok);
  const own = loaded.flatMap((layer) =>
    layer.policy.rules.flatMap((rule) => entryOf(rule, layer.name, rule.id)),
  );
  const changes = loaded
    .filter(({ name }) => name === "managed" || name === "user")
    .map(({ policy }) => policy.preset);
  const builtIn = [...presetRules, ...leashRules([])].flatMap(({ rule, title, fixed }) => {
    const change =
      fixed === true
        ? undefined
        : changes.map((preset) => ownOf(preset, rule.id)).find((one) => one !== undefined);
    if (change === false) return [];
    return entryOf({ ...rule, effect: change?.effect ?? rule.effect }, "built-in", title);
  });
  const { external } = presetDefaults;
  const outside = changes.map((preset) => ownOf(preset, external.id)).find((one) => one !== undefined);
  const outsideEffect = outside === false ? "allow" : (outside?.effect ?? external.effect);
  const last: DangerEntry[] =
    outsideEffect === "allow"
      ? []
      : [
          {
            id: external.id,
            effect: outsideEffect,
            title: external.title,
            reason: external.reason,
            examples: ["/etc/hosts", "../other"],
            layer: "built-in",
          },
        ];
  return [...own, ...builtIn, ...last];
}

function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function entryOf(rule: Rule, layer: string, title: string): readonly DangerEntry[] {
  if (rule.effect === "allow") return [];
  if (
    rule.command === undefined &&
    rule.path === undefined &&
    rule.host === undefined &&
    rule.ref === undefined
  )
    return [];
  const reason = rule.reason ?? `The rule ${rule.id} says so`;
  return [
    {
      id: rule.id,
      effect: rule.effect,
      title,
      reason: rule.instead === undefined ? reason : `${reason}. Instead: ${rule.instead}`,
      examples: examplesOf(rule).slice(0, MAX_EXAMPLES),
      layer,
    },
  ];
}

/** The rule's own examples, else what its statements say literally. */
function examplesOf(rule: Rule): readonly string[] {
  const given = (rule.match ?? []).filter((example) => typeof example === "string");
  if (given.length > 0) return given;
  const commands = (rule.command ?? []).flatMap((command) => {
    if ("exact" in command) return [command.exact.join(" ")];
    if ("prefix" in command) return [command.prefix.join(" ")];
    return command.program.map((program) =>
      [program, ...(command.subcommand ?? []), ...(command.flags?.any?.slice(0, 1) ?? [])].join(" "),
    );
  });
  return [...commands, ...(rule.path?.glob ?? []), ...(rule.host ?? []), ...(rule.ref?.name ?? [])];
}
