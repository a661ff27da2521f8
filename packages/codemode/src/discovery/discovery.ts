import type { CallableTool, JsonValue } from "@nestbox/tool";
import { nameTools, toIdentifier, type ToolNames } from "../declarations/identifier.ts";
import { renderSample } from "../declarations/tool-declaration.ts";
import { isRecord } from "../shared/guards.ts";
import type { HostGlobal } from "../types.ts";
import { createToolSearch, DEFAULT_SEARCH_LIMIT, type ToolSearch } from "./search.ts";

/** An entry of `ALL_TOOLS` and of a search result. */
export interface ListedTool {
  /** The identifier under `tools`. */
  readonly name: string;
  /** Description, guidelines and declaration. */
  readonly description: string;
}

/** What a script can find out about the tools it can call; the list is fixed for the run. */
export interface Discovery {
  readonly names: ToolNames;
  /** The text of one tool in `ALL_TOOLS`; fits `ScriptRequest.describe`. */
  readonly describe: (tool: CallableTool) => string;
  /** `ALL_TOOLS`, made on the first call. */
  allTools(): readonly ListedTool[];
  searchTools(query: unknown, options?: unknown): readonly ListedTool[];
  describeTool(name: unknown): string | undefined;
  describeNamespace(name: unknown): NamespaceDescription | undefined;
  /** The three functions as globals of a script. */
  readonly globals: readonly HostGlobal[];
}

export interface NamespaceDescription {
  readonly name: string;
  readonly description?: string;
  readonly instructions?: string;
  /** Identifiers. */
  readonly tools: readonly string[];
}

/** The description of a tool under an identifier. */
export type RenderTool = (tool: CallableTool, identifier: string) => string;

/**
 * Makes the discovery functions for one script. Texts and the search index are made when they are first asked for;
 * `render` can keep texts from one script to the next, see {@link createSampleCache}.
 */
export function createDiscovery(
  tools: readonly CallableTool[],
  render: RenderTool = renderSample,
): Discovery {
  const names = nameTools(tools.map((tool) => tool.name));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const samples = new Map<string, string>();
  let search: ToolSearch | undefined;

  const sampleOf = (tool: CallableTool): string => {
    const made = samples.get(tool.name) ?? render(tool, names.identifierOf(tool.name));
    samples.set(tool.name, made);
    return made;
  };
  const list = (tool: CallableTool): ListedTool => ({
    name: names.identifierOf(tool.name),
    description: sampleOf(tool),
  });

  const searchTools = (query: unknown, options?: unknown): readonly ListedTool[] => {
    if (typeof query !== "string") throw new Error("searchTools() expects a query string");
    const { limit = DEFAULT_SEARCH_LIMIT, namespace } = isRecord(options) ? options : {};
    if (typeof limit !== "number" || !Number.isInteger(limit) || limit <= 0) {
      throw new Error("searchTools() limit must be a positive integer");
    }
    if (namespace !== undefined && namespace !== null && typeof namespace !== "string") {
      throw new Error("searchTools() namespace must be a string");
    }
    search ??= createToolSearch(tools);
    const filter = namespace ? namedBy(tools, namespace) : undefined;
    const found = search.search(query, filter === undefined ? { limit } : { limit, filter });
    return found.flatMap((name) => {
      const tool = byName.get(name);
      return tool === undefined ? [] : [list(tool)];
    });
  };

  const describeTool = (name: unknown): string | undefined => {
    if (typeof name !== "string") throw new Error("describeTool() expects a tool name");
    const tool = byName.get(names.resolve(name) ?? "");
    return tool === undefined ? undefined : sampleOf(tool);
  };

  const describeNamespace = (name: unknown): NamespaceDescription | undefined => {
    if (typeof name !== "string") throw new Error("describeNamespace() expects a namespace name");
    const members = tools.filter(namedBy(tools, name));
    const namespace = members[0]?.namespace;
    if (namespace === undefined) return undefined;
    return {
      name: namespace.name,
      ...(namespace.description ? { description: namespace.description } : {}),
      ...(namespace.instructions ? { instructions: namespace.instructions } : {}),
      tools: members.map((tool) => names.identifierOf(tool.name)),
    };
  };

  return {
    names,
    describe: sampleOf,
    allTools: () => [...byName.values()].map(list),
    searchTools,
    describeTool,
    describeNamespace,
    globals: [
      {
        name: "searchTools",
        execute: ([query, options]: readonly JsonValue[]) => searchTools(query, options),
      },
      { name: "describeTool", execute: ([name]: readonly JsonValue[]) => describeTool(name) },
      { name: "describeNamespace", execute: ([name]: readonly JsonValue[]) => describeNamespace(name) },
    ],
  };
}

/** Longest name that is compared as an identifier, in characters. */
const MAX_NAME_CHARS = 1_000;

/**
 * Tells the tools of the namespace that a query names: by its name or an alias as written, else, where no namespace is
 * called that, by the identifier of one.
 */
function namedBy(
  tools: readonly CallableTool[],
  query: string,
): (tool: Pick<CallableTool, "namespace">) => boolean {
  const namesOf = ({ namespace }: Pick<CallableTool, "namespace">): readonly string[] =>
    namespace === undefined ? [] : [namespace.name, ...(namespace.aliases ?? [])];
  const hasName = (tool: Pick<CallableTool, "namespace">): boolean => tool.namespace?.name === query;
  const isExact = (tool: Pick<CallableTool, "namespace">): boolean => namesOf(tool).includes(query);
  if (tools.some(hasName)) return hasName;
  if (tools.some(isExact) || query.length > MAX_NAME_CHARS) return isExact;
  const wanted = toIdentifier(query);
  return (tool) => namesOf(tool).some((name) => toIdentifier(name) === wanted);
}
