import type { LoadExtensionsResult, ToolDefinition, ToolInfo } from "@earendil-works/pi-coding-agent";
import { ToolError } from "../error.ts";
import { findNameCollisions } from "../name.ts";

/** One name that came through two routes. */
export interface RouteClash {
  readonly name: string;
  /** Whose tool runs. */
  readonly winner: string;
  /** Whose tool was put aside. */
  readonly loser: string;
  readonly message: string;
}

/**
 * Compares what an extension registered with what the session has, and throws a `ToolError` with code `name-clash`
 * that lists every difference: in a handler of `session_start`, Pi tells it as an error of that extension.
 */
export function reportClashes(
  registered: readonly ToolDefinition[],
  present: readonly ToolInfo[],
  owner: string,
): void {
  const byName = new Map(present.map((info) => [info.name, info]));
  const messages = registered.flatMap((definition) => {
    const info = byName.get(definition.name);
    // Absent: filtered out by the session's lists, which is legal (contract B13).
    if (info === undefined || isOwn(definition, info)) return [];
    return [clash(definition.name, describeSource(info.sourceInfo), owner).message];
  });
  const ours = new Set(registered.map(({ name }) => name));
  const collisions = findNameCollisions(present.map(({ name }) => name)).filter(({ names }) =>
    names.some((name) => ours.has(name)),
  );
  messages.push(...collisions.map(({ message }) => message));
  if (messages.length > 0) throw new ToolError("name-clash", messages.join("\n"));
}

export interface RouteSources {
  readonly customTools?: readonly Pick<ToolDefinition, "name">[];
  /** `extensionsResult.extensions` of `createAgentSession`, or what a resource loader's `getExtensions()` gives. */
  readonly extensions?: LoadExtensionsResult["extensions"];
}

/**
 * For a program that creates sessions: every name that came through two routes, before the first prompt. Pi lets the
 * SDK's tools win over extensions, and the first extension over later ones, without a word.
 */
export function findRouteClashes({ customTools = [], extensions = [] }: RouteSources): readonly RouteClash[] {
  const owners = new Map<string, string>();
  const clashes: RouteClash[] = [];
  const claim = (name: string, owner: string): void => {
    const first = owners.get(name);
    if (first === undefined) owners.set(name, owner);
    else clashes.push(clash(name, first, owner));
  };
  for (const { name } of customTools) claim(name, describeSource({ path: `<sdk:${name}>`, source: "sdk" }));
  for (const { tools, sourceInfo } of extensions) {
    for (const name of tools.keys()) claim(name, describeSource(sourceInfo));
  }
  return clashes;
}

function clash(name: string, winner: string, loser: string): RouteClash {
  const message = `Tool "${name}" is registered twice: by ${winner}, whose tool runs, and by ${loser}. Register it through one route, or rename one.`;
  return { name, winner, loser, message };
}

/** The session holds the definition that was registered, unless somebody else's stands there under its name. */
function isOwn(definition: ToolDefinition, info: ToolInfo): boolean {
  // Withdrawn: the same tool, registered again as hidden by the same extension.
  const same = info.parameters === definition.parameters && info.description === definition.description;
  return same && info.sourceInfo.source !== "sdk" && info.sourceInfo.source !== "builtin";
}

function describeSource({ path, source }: { readonly path: string; readonly source: string }): string {
  if (source === "sdk") return `the SDK's customTools (${path})`;
  if (source === "builtin") return `Pi itself (${path})`;
  return `the extension ${path}`;
}
