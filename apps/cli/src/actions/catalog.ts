import type { RegisteredTool } from "@nestbox/calls";
import type { NamespaceDescription } from "@nestbox/codemode";
import type { CallableTool } from "@nestbox/tool";

import { type Catalog, type CatalogOptions, openCatalog } from "../compose/open-catalog.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { colorsFor } from "../report/colors.ts";
import { forTerminal, oneLine } from "../report/safe-text.ts";
import { cut, displayWidth, padded, room } from "../report/width.ts";
import { UsageError } from "../usage-error.ts";

export interface CatalogCommandOptions extends CatalogOptions {
  readonly json?: boolean;
}

/** `nestbox tools`: every tool by its namespace, one line each. */
export async function listTools(
  options: CatalogCommandOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { tools, discovery } = await openCatalog(options, tellOn(streams), signal);
  if (options.json === true) {
    writeJsonLine(streams, {
      ok: true,
      tools: tools.map((tool) => ({
        name: tool.name,
        identifier: discovery.names.identifierOf(tool.name),
        namespace: tool.namespace?.name ?? null,
        exposure: tool.exposure,
        description: tool.description,
        annotations: tool.annotations ?? null,
      })),
    });
    return exitCodes.ok;
  }
  const colors = colorsFor(streams.stdout, process.env);
  const write = (line: string): void => void streams.stdout.write(`${line}\n`);
  const width = Math.max(0, ...tools.map((tool) => displayWidth(oneLine(tool.name))));
  for (const group of groups(tools)) {
    const about = group[0]?.namespace;
    if (about !== undefined)
      write(
        `${colors.bold(oneLine(about.name))}  ${colors.dim(cut(about.description ?? "", room(streams.stdout, displayWidth(oneLine(about.name)) + 2)))}`.trimEnd(),
      );
    for (const tool of group) {
      const name = padded(oneLine(tool.name), width);
      const rest = room(streams.stdout, width + 16);
      write(
        `  ${name}  ${colors.dim(tool.exposure.padEnd(10))}  ${cut(firstSentence(tool.description), rest)}`.trimEnd(),
      );
    }
  }
  return exitCodes.ok;
}

export interface SearchOptions extends CatalogCommandOptions {
  readonly limit?: number;
  readonly namespace?: string;
  readonly long?: boolean;
}

/** `nestbox search`: what `searchTools` gives a script. Exit code 1 when nothing was found. */
export async function searchTools(
  query: string,
  options: SearchOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const { discovery, callable } = await openCatalog(options, tellOn(streams), signal);
  const results = discovery.searchTools(query, {
    ...(options.limit === undefined ? {} : { limit: options.limit }),
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
  });
  if (options.json === true) writeJsonLine(streams, { ok: true, query, results });
  else if (results.length === 0) streams.stderr.write("Nothing was found. All tools: nestbox tools\n");
  else if (options.long === true)
    streams.stdout.write(
      `${forTerminal(results.map(({ description }) => description).join("\n\n"), streams.stdout.isTTY)}\n`,
    );
  else {
    const found = results.flatMap(({ name }) => callable.find((tool) => tool.name === name) ?? []);
    for (const line of hitLines(found, streams)) streams.stdout.write(`${line}\n`);
  }
  return results.length === 0 ? exitCodes.script : exitCodes.ok;
}

/** A line each: name, namespace, what it does. */
function hitLines(found: readonly CallableTool[], streams: Streams): readonly string[] {
  const colors = colorsFor(streams.stdout, process.env);
  const columns = found.map((tool) => [oneLine(tool.name), oneLine(tool.namespace?.name ?? "")] as const);
  const widest = (at: 0 | 1): number => Math.max(0, ...columns.map((column) => displayWidth(column[at])));
  const [names, spaces] = [widest(0), widest(1)];
  return found.map((tool, index) => {
    const [name = "", space = ""] = columns[index] ?? [];
    const start = [padded(name, names), ...(spaces === 0 ? [] : [colors.dim(padded(space, spaces))])].join(
      "  ",
    );
    const used = names + 2 + (spaces === 0 ? 0 : spaces + 2);
    return `${start}  ${cut(firstSentence(tool.description), room(streams.stdout, used))}`.trimEnd();
  });
}

/** `nestbox describe`: what `describeTool` or `describeNamespace` gives a script. */
export async function describe(
  name: string,
  options: CatalogCommandOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const catalog = await openCatalog(options, tellOn(streams), signal);
  const text = catalog.discovery.describeTool(name);
  const tool = catalog.callable.find(
    (one) => one.name === name || catalog.discovery.names.identifierOf(one.name) === name,
  );
  if (text !== undefined && tool !== undefined) {
    if (options.json === true) {
      writeJsonLine(streams, {
        ok: true,
        kind: "tool",
        name: tool.name,
        identifier: catalog.discovery.names.identifierOf(tool.name),
        namespace: tool.namespace?.name ?? null,
        exposure: tool.exposure ?? "direct",
        declaration: text,
        annotations: tool.annotations ?? null,
        parameters: tool.parameters,
        outputSchema: tool.outputSchema ?? null,
      });
    } else streams.stdout.write(`${forTerminal(text, streams.stdout.isTTY)}\n`);
    return exitCodes.ok;
  }
  const namespace = catalog.discovery.describeNamespace(name);
  if (namespace === undefined) throw new UsageError(unknownName(name, catalog));
  if (options.json === true) writeJsonLine(streams, { ok: true, kind: "namespace", ...namespace });
  else streams.stdout.write(`${forTerminal(namespaceText(namespace), streams.stdout.isTTY)}\n`);
  return exitCodes.ok;
}

function namespaceText({ name, description, instructions, tools }: NamespaceDescription): string {
  return [
    description === undefined ? name : `${name}: ${description}`,
    ...(instructions === undefined ? [] : [instructions]),
    `Tools: ${tools.join(", ")}`,
  ].join("\n\n");
}

function unknownName(name: string, { tools, discovery }: Catalog): string {
  const unreachable = tools.find((tool) => tool.name === name);
  if (unreachable !== undefined)
    return `${name} is ${unreachable.exposure}${unreachable.active ? "" : " and not active"}: scripts cannot call it.`;
  const near = discovery.searchTools(name, { limit: 3 }).map((found) => found.name);
  return `There is no tool or namespace ${JSON.stringify(name)}. ${near.length === 0 ? "All tools: nestbox tools" : `Did you mean ${near.join(", ")}?`}`;
}

/** Tools by namespace, in the order in which the namespaces come first; those without one at the end. */
function groups(tools: readonly RegisteredTool[]): readonly (readonly RegisteredTool[])[] {
  const byNamespace = new Map<string, RegisteredTool[]>();
  const alone: RegisteredTool[] = [];
  for (const tool of tools) {
    if (tool.namespace === undefined) alone.push(tool);
    else byNamespace.set(tool.namespace.name, [...(byNamespace.get(tool.namespace.name) ?? []), tool]);
  }
  return [...byNamespace.values(), ...(alone.length === 0 ? [] : [alone])];
}

function firstSentence(text: string): string {
  return /^.*?[.!?](?=\s|$)/s.exec(text.trim())?.[0] ?? text.trim();
}
