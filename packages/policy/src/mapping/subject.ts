import type { CallRequest, JsonObject, JsonValue } from "@nestbox/tool";

import type { PathArgument, ToolMapping } from "../rules/types.ts";
import type { CommandFact, Doubt, ResourceFact } from "../subject.ts";
import { isRecord } from "../is-record.ts";
import { quoteWord } from "../rules/words.ts";
import { patchPaths } from "./patch.ts";
import { toolPath } from "./tool-path.ts";

/** How a shell text is read; handed in so that the mapping knows no parser. */
export type ReadShell = (
  source: string,
  options: { readonly cwd: string; readonly shell: string },
) => {
  readonly commands: readonly CommandFact[];
  readonly resources: readonly ResourceFact[];
  readonly doubts: readonly Doubt[];
  readonly rawWords: readonly string[];
};

/** What a call touches and runs, by the mapping of its tool. */
export interface MappedCall {
  readonly commands: readonly CommandFact[];
  /** All resources, those of the commands among them. */
  readonly resources: readonly ResourceFact[];
  /** The resources that belong to no command. */
  readonly own: readonly ResourceFact[];
  readonly doubts: readonly Doubt[];
  readonly rawWords: readonly string[];
  /** An argument has a type that its tool cannot mean: such a call never runs. */
  readonly invalid: string | undefined;
}

/** Most resources that one call may name by its arguments; a call with more is denied. */
export const MAX_RESOURCES = 2_000;
/** Most resources that the commands of one call may name; a call with more is denied. */
export const MAX_COMMAND_RESOURCES = 3_000;

export function mapCall(
  request: CallRequest,
  mappings: readonly ToolMapping[],
  readShell: ReadShell,
): MappedCall {
  const commands: CommandFact[] = [];
  const resources: ResourceFact[] = [];
  const own: ResourceFact[] = [];
  const doubts: Doubt[] = [];
  const rawWords: string[] = [];
  let invalid: string | undefined;
  let guessed = false;
  const wrong = (argument: string, expected: string): void => {
    if (!guessed) invalid ??= `the argument ${argument} is not ${expected}`;
  };
  const add = (fact: ResourceFact): void => {
    own.push(fact);
    resources.push(fact);
  };

  for (const mapping of mappings) {
    guessed = mapping.guessed === true;
    if (mapping.shell !== undefined) {
      const { argument, cwd: cwdArgument, language = "bash" } = mapping.shell;
      const text = commandText(request.input, argument);
      const folder = cwdArgument === undefined ? undefined : valueAt(request.input, cwdArgument);
      if (text !== undefined && typeof text !== "string") wrong(argument, "a text");
      if (folder !== undefined && folder !== null && typeof folder !== "string")
        wrong(cwdArgument ?? "", "a text");
      if (typeof text === "string") {
        const cwd = typeof folder === "string" ? joinFolder(request.cwd, folder) : request.cwd;
        const facts = readShell(text, { cwd, shell: language });
        const offset = commands.length;
        commands.push(...facts.commands);
        resources.push(...facts.resources);
        const held = new Set(facts.commands.flatMap((command) => command.resources));
        own.push(...facts.resources.filter((resource) => !held.has(resource)));
        doubts.push(
          ...facts.doubts.map((doubt) =>
            doubt.command === undefined ? doubt : { ...doubt, command: doubt.command + offset },
          ),
        );
        for (const word of facts.rawWords) rawWords.push(word);
      }
    }
    for (const path of mapping.paths ?? []) {
      for (const fact of pathFacts(request, path, wrong)) add(fact);
    }
    if (mapping.patch !== undefined) {
      const text = valueAt(request.input, mapping.patch.argument);
      if (text !== undefined && typeof text !== "string") wrong(mapping.patch.argument, "a text");
      if (typeof text === "string") {
        const paths = patchPaths(text);
        if (paths === undefined)
          doubts.push({ kind: "invalid-input", message: "the patch names no file in a form that is known" });
        for (const { action, path } of paths ?? [])
          add({
            action,
            kind: "path",
            value: path,
            base: request.cwd,
            origin: `input.${mapping.patch.argument}`,
          });
      }
    }
    for (const argument of mapping.hosts ?? []) {
      for (const value of valuesAt(request.input, argument)) {
        if (typeof value !== "string") wrong(argument, "a text");
        else add({ action: "network", kind: "host", value: hostOf(value), origin: `input.${argument}` });
      }
    }
  }
  if (resources.length - own.length > MAX_COMMAND_RESOURCES)
    invalid ??= `its commands name more than ${MAX_COMMAND_RESOURCES} paths or hosts`;
  if (own.length > MAX_RESOURCES) invalid ??= `it names more than ${MAX_RESOURCES} paths or hosts`;
  return { commands, resources, own, doubts, rawWords, invalid };
}

function pathFacts(
  request: CallRequest,
  { argument, action, tree, glob, names, default: absent }: PathArgument,
  wrong: (argument: string, expected: string) => void,
): readonly ResourceFact[] {
  const values = valuesAt(request.input, argument);
  const given = values.length === 0 && absent !== undefined ? [absent] : values;
  const facts: ResourceFact[] = [];
  const origin = `input.${argument}`;
  const pattern = glob === undefined ? undefined : valueAt(request.input, glob);
  if (pattern !== undefined && typeof pattern !== "string") wrong(glob ?? "", "a text");
  for (const value of given) {
    if (typeof value !== "string") {
      wrong(argument, "a text");
      continue;
    }
    const path = toolPath(value);
    const narrowed =
      tree === true && typeof pattern === "string" && pattern !== "" && !pattern.startsWith("!");
    if (narrowed)
      facts.push({
        action,
        kind: "path",
        value: globBelow(path, pattern),
        base: request.cwd,
        extent: "glob",
        ...(names === true ? { names } : {}),
        origin: `${origin} and input.${glob ?? ""}`,
      });
    // What a search starts from counts too: a glob does not keep it inside.
    facts.push({
      action,
      kind: "path",
      value: path,
      base: request.cwd,
      ...(tree === true && !narrowed ? { extent: "tree" as const } : {}),
      ...(tree === true && !narrowed && names === true ? { names } : {}),
      origin,
    });
  }
  return facts;
}

/** A search tool's glob: a bare name matches at any depth, one with a slash from the folder on. */
function globBelow(folder: string, glob: string): string {
  const pattern = glob.replace(/^(\.?\/)+/, "");
  const below = pattern.includes("/") ? pattern : `**/${pattern}`;
  return `${folder.replace(/\/+$/, "")}/${below}`;
}

/** A host from a URL or a plain name; `undefined` when it cannot be told. */
export function hostOf(value: string): string | undefined {
  const text = value.trim();
  try {
    const url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
    return url.hostname === "" ? undefined : url.hostname.toLowerCase().replace(/\.$/, "");
  } catch {
    return undefined;
  }
}

function joinFolder(base: string, folder: string): string {
  if (/^([/~]|[A-Za-z]:|\\\\)/.test(folder)) return folder;
  return folder === "" ? base : `${base}/${folder}`;
}

/** A command is a text, or a list of words that are run as they are. */
function commandText(input: JsonObject, argument: string): JsonValue | undefined {
  const [value, ...rest] = found(input, argument);
  if (value === undefined || rest.length > 0 || !isList(value)) return value;
  return value.every((word) => typeof word === "string") ? value.map(quoteWord).join(" ") : value;
}

function valueAt(input: JsonObject, path: string): JsonValue | undefined {
  return valuesAt(input, path)[0];
}

/** The values at a dotted path; a list at the end is its items. */
function valuesAt(input: JsonObject, path: string): readonly JsonValue[] {
  return found(input, path).flatMap((value) => (isList(value) ? value : [value]));
}

/** What stands at a dotted path; `[]` after a name stands for every item of a list. */
function found(input: JsonObject, path: string): readonly JsonValue[] {
  let values: JsonValue[] = [input];
  for (const step of path.split(".")) {
    const each = step.endsWith("[]");
    const key = each ? step.slice(0, -2) : step;
    const next: JsonValue[] = [];
    for (const value of values) {
      if (!isRecord(value) || !Object.hasOwn(value, key)) continue;
      const inner = value[key];
      if (inner === undefined) continue;
      if (each && isList(inner)) for (const item of inner) next.push(item);
      else next.push(inner);
    }
    values = next;
  }
  return values;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
