import type { TraceCall } from "@nestbox/calls";
import type { PolicyLayer } from "@nestbox/policy";

import { CONFIG_FILE } from "../config/load-config.ts";
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

/** Hints of one report, and tools that one of them names; more of them would hide what happened. */
const MAX_HINTS = 5;

/**
 * What to do about calls that were denied, a line or two each: which file, which rule. What a person said no to, and
 * what the managed layer or a built-in rule decides, is not talked around.
 */
export function allowHints(options: HintOptions): readonly string[] {
  const found = new Map<string, readonly string[]>();
  const unspoken = new Set<string>();
  for (const { name, decision } of denied(options.calls)) {
    // Only what no rule speaks of: every other built-in rule is there for a reason, which its message gives.
    if (decision.layer === "built-in") {
      if (decision.rule === "default.annotations" && !options.asked) unspoken.add(name);
      continue;
    }
    const key = JSON.stringify([name, decision.rule, decision.layer]);
    if (!found.has(key)) found.set(key, hintOf(name, decision, options));
  }
  const rules = unspoken.size === 0 ? [] : [rulesHint([...unspoken], options)];
  return [...rules, ...found.values()].slice(0, MAX_HINTS).flat();
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
  { layers, asked, fileName }: HintOptions,
): readonly string[] {
  const name = oneLine(tool, 100);
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
          `${name}: rule ${rule} in ${file} asks, and nobody can be asked here. Run it in a terminal, from a file and not from standard input, or change the rule.`,
        ];
  return own === undefined
    ? []
    : [`${name}: rule ${rule} in ${file} denies it. To allow it, change that rule.`];
}

/** One text to paste for all tools that no rule speaks of. */
function rulesHint(tools: readonly string[], options: HintOptions): readonly string[] {
  const shown = tools.slice(0, MAX_HINTS);
  const more = tools.length - shown.length;
  const names = `${shown.map((tool) => oneLine(tool, 100)).join(", ")}${more === 0 ? "" : `, and ${more} more`}`;
  const [their, say, them] =
    tools.length === 1 ? ["its", "it is harmless", "it"] : ["their", "they are harmless", "them"];
  const ids = new Set<string>();
  const rules = shown.map((tool) => {
    const id = freeId(`allow-${tool.replaceAll(/[^\w-]/g, "-").slice(0, 60)}`, ids);
    return oneLine(JSON.stringify({ id, effect: "allow", tool }), 500);
  });
  const why = `${names}: ${their} annotations do not say that ${say}, and nobody can be asked here. Run it in a terminal, from a file and not from standard input, to be asked; or, to allow ${them} always,`;
  const { file, onlyFound } = fileToChange(options);
  if (onlyFound !== undefined) {
    const trusted = `say --config ${CONFIG_FILE} or --policy ${onlyFound.name}: ${onlyFound.name} was only found, through ${CONFIG_FILE}, so that it can forbid and allows nothing`;
    if (shown.every((tool) => onlyFound.allows(tool))) return [`${why} ${trusted}.`];
    return [
      `${why} ${trusted}. And add this to \`rules\` in it:`,
      ...rules.map((rule, index) => `  ${rule}${index === rules.length - 1 ? "" : ","}`),
    ];
  }
  const what =
    file === undefined
      ? "put this into policy.jsonc and add --policy policy.jsonc:"
      : `add this to \`rules\` in ${file}:`;
  const lines = rules.map((rule, index) => `${rule}${index === rules.length - 1 ? "" : ","}`);
  return [
    `${why} ${what}`,
    ...(file !== undefined
      ? lines.map((line) => `  ${line}`)
      : lines.length === 1
        ? [`  { "version": 1, "rules": [${lines.join("")}] }`]
        : [`  { "version": 1, "rules": [`, ...lines.map((line) => `    ${line}`), "  ] }"]),
  ];
}

interface FileToChange {
  readonly file?: string;
  /** The only file there is speaks for the project: an allow in it does not count. */
  readonly onlyFound?: { readonly name: string; allows(tool: string): boolean };
}

/** The first file in which an allow counts. */
function fileToChange({ policyFiles, layers, fileName }: HintOptions): FileToChange {
  const projects = layers.filter(({ name, file }) => name === "project" && file !== undefined);
  const found = (file: string): PolicyLayer | undefined =>
    projects.find((layer) => layer.file !== undefined && fileName(layer.file) === file);
  const file = policyFiles.find((one) => found(one) === undefined);
  if (file !== undefined) return { file };
  const [name] = policyFiles;
  if (name === undefined) return {};
  const layer = found(name);
  const rules = layer?.ok === true ? layer.policy.rules : [];
  return {
    onlyFound: {
      name,
      allows: (tool) =>
        rules.some((rule) => rule.effect === "allow" && rule.tool?.some(({ name }) => name === tool)),
    },
  };
}

/** Names that differ only in what an id cannot hold are told apart by a number. */
function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let n = 2; taken.has(free); n += 1) free = `${id}-${n}`;
  taken.add(free);
  return free;
}
