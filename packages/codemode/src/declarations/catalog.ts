import type { ToolNamespace } from "@nestbox/tool";
import { nameTools } from "./identifier.ts";
import { type DeclaredTool, renderSample } from "./tool-declaration.ts";

/** Characters that count as one token where a budget is given in tokens. */
const CHARS_PER_TOKEN = 4;

export interface CatalogTool extends DeclaredTool {
  readonly namespace?: ToolNamespace;
}

interface Entry {
  readonly name: string;
  readonly namespace: ToolNamespace | undefined;
  readonly section: string;
  readonly cost: number;
}

interface Group {
  readonly namespace: ToolNamespace | undefined;
  readonly entries: readonly Entry[];
}

export interface CatalogOptions {
  /** Estimated tokens that the sections of tools may take together; unset: no limit. */
  readonly budget?: number | undefined;
  /** Names of all callable tools, listed or not, so that identifiers are the ones that scripts see. */
  readonly allNames?: readonly string[];
}

/**
 * Lists tools with their declarations, grouped by namespace, as far as the budget goes. In turn every group places
 * its cheapest tool, so each namespace is seen before any is complete. The text depends on nothing but the tools.
 */
export function renderCatalog(tools: readonly CatalogTool[], options: CatalogOptions = {}): string {
  if (tools.length === 0) return "";
  const names = nameTools(options.allNames ?? tools.map((tool) => tool.name));
  const groups = groupByNamespace(tools, (tool) => {
    const identifier = names.identifierOf(tool.name);
    const heading =
      identifier === tool.name ? `### \`${identifier}\`` : `### \`${identifier}\` (\`${tool.name}\`)`;
    return `${heading}\n${renderSample(tool, identifier).trim()}`;
  });
  const shown = chooseShown(groups, options.budget);
  return groups.flatMap((group) => renderGroup(group, shown)).join("\n\n");
}

function groupByNamespace(tools: readonly CatalogTool[], render: (tool: CatalogTool) => string): Group[] {
  const groups = new Map<string, Entry[]>();
  for (const tool of tools) {
    const key = tool.namespace === undefined ? "" : `:${tool.namespace.name}`;
    const entries = groups.get(key) ?? [];
    groups.set(key, entries);
    const section = render(tool);
    const cost = Math.ceil(section.length / CHARS_PER_TOKEN);
    entries.push({ name: tool.name, namespace: tool.namespace, section, cost });
  }
  return [...groups]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, unordered]) => {
      const entries = unordered.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      // Where tools describe their namespace differently, not the one that came first decides.
      const described = entries.find(({ namespace }) => (namespace?.description?.trim() ?? "") !== "");
      return { namespace: (described ?? entries[0])?.namespace, entries };
    });
}

function chooseShown(groups: readonly Group[], budget: number | undefined): ReadonlySet<string> {
  const shown = new Set<string>();
  let left = budget ?? Number.POSITIVE_INFINITY;
  let queues = groups.map((group) => group.entries.toSorted((a, b) => a.cost - b.cost));
  while (queues.length > 0) {
    queues = queues.flatMap((queue) => {
      const [next, ...rest] = queue;
      if (next === undefined || next.cost > left) return [];
      left -= next.cost;
      shown.add(next.name);
      return [rest];
    });
  }
  return shown;
}

function renderGroup({ namespace, entries }: Group, shown: ReadonlySet<string>): string[] {
  const visible = entries.filter((entry) => shown.has(entry.name));
  const sections = visible.map((entry) => entry.section);
  const missing = entries.length - visible.length;
  if (namespace === undefined) {
    return missing === 0 ? sections : [...sections, `(${missing} of ${entries.length} tools not shown)`];
  }
  const count = missing === 0 ? "" : ` (${missing} of ${entries.length} tools not shown)`;
  const description = namespace.description?.trim() ?? "";
  return [`## ${namespace.name}${count}${description === "" ? "" : `\n${description}`}`, ...sections];
}
