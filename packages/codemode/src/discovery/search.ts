import type { CallableTool } from "@nestbox/tool";
import MiniSearch from "minisearch";
import { childSchemas, MAX_SCHEMA_DEPTH, resolveRef } from "../declarations/schema.ts";
import { isRecord } from "../shared/guards.ts";
import { humpedWords, joinHumps, tokenize } from "./tokenize.ts";

/** Results of a search that asks for no other number. */
export const DEFAULT_SEARCH_LIMIT = 8;

/** Longest query that is read, in characters, and the longest word that is looked for by its beginning or near it. */
const MAX_QUERY_CHARS = 500;
const MAX_NEAR_CHARS = 32;

/** Longest text of one tool that is searched, in characters. */
const MAX_TEXT_CHARS = 64 * 1024;

type SearchableTool = Pick<CallableTool, "name" | "description" | "parameters" | "namespace">;

export interface SearchOptions {
  readonly limit: number;
  /** Only tools for which this answers true. */
  readonly filter?: (tool: SearchableTool) => boolean;
}

export interface ToolSearch {
  /** Exact names, best first. */
  search(query: string, options: SearchOptions): readonly string[];
}

interface Document {
  readonly id: number;
  readonly name: string;
  readonly local: string;
  readonly text: string;
  readonly namespace: string;
}

/** How much more a word in the field says than the same word in the description. */
const BOOST = { name: 3, text: 1, namespace: 0.5 } as const;

/**
 * Ranks tools by BM25 over their names, their descriptions with all parameter names and descriptions, and their
 * namespaces. A query that is a tool's name finds that tool first; then more of the query's words beat fewer,
 * whatever their weight, and a tool whose whole own name is in the query beats one that only mentions it. When no
 * word is found as it stands, beginnings and near spellings are.
 */
export function createToolSearch(tools: readonly SearchableTool[]): ToolSearch {
  const documents = tools.map(toDocument);
  const known = new Set<string>();
  const index = new MiniSearch<Document>({
    fields: ["name", "text", "namespace"],
    tokenize: (text) => {
      const terms = tokenize(text);
      for (const term of terms) known.add(term);
      return terms;
    },
    // Words are folded by the tokenizer already.
    processTerm: (term) => term,
    searchOptions: { boost: BOOST, combineWith: "OR", tokenize: (text) => text.split(" ") },
  });
  index.addAll(documents);
  return {
    search(whole, { limit, filter }) {
      // Reading is the host's time, which a script must not have without end.
      const query = whole.trim().slice(0, MAX_QUERY_CHARS);
      const words = new Set(tokenize(joinHumps(query, (word) => known.has(word))));
      if (words.size === 0) return [];
      const allowed = (id: number): boolean => {
        const tool = tools[id];
        return tool !== undefined && (filter === undefined || filter(tool));
      };
      const options = { filter: ({ id }: { id: number }) => allowed(id) };
      let found = index.search([...words].join(" "), options);
      if (found.length === 0) {
        found = index.search([...words].join(" "), {
          ...options,
          prefix: (term) => term.length <= MAX_NEAR_CHARS,
          fuzzy: (term) => (term.length > 3 && term.length <= MAX_NEAR_CHARS ? 0.25 : 0),
        });
      }
      const wanted = folded(query);
      return found
        .map((result) => {
          const document = documents[Number(result.id)];
          return {
            id: Number(result.id),
            exact: document === undefined ? 0 : nameMatch(query, wanted, document.name),
            covered: new Set(result.queryTerms).size,
            whole: document !== undefined && isWholeName(document.local, words),
            score: result.score,
          };
        })
        .toSorted(
          (a, b) =>
            b.exact - a.exact ||
            b.covered - a.covered ||
            Number(b.whole) - Number(a.whole) ||
            b.score - a.score ||
            a.id - b.id,
        )
        .slice(0, limit)
        .flatMap(({ id }) => tools[id]?.name ?? []);
    },
  };
}

function toDocument(tool: SearchableTool, id: number): Document {
  const parts = [tool.description];
  collectText(tool.parameters, tool.parameters, parts, new Set(), 0);
  parts.push(...humpedWords(parts.join(" ").slice(0, MAX_TEXT_CHARS)));
  const { namespace } = tool;
  const about =
    namespace === undefined
      ? []
      : [namespace.name, namespace.description ?? "", namespace.instructions ?? ""];
  return {
    id,
    name: tool.name,
    local: tool.name.split("__").at(-1) ?? tool.name,
    text: parts.join(" ").slice(0, MAX_TEXT_CHARS),
    namespace: [...about, ...(namespace?.aliases ?? [])].join(" ").slice(0, MAX_TEXT_CHARS),
  };
}

/** Property names and descriptions of a schema; what several references share is read once. */
function collectText(
  schema: unknown,
  root: unknown,
  parts: string[],
  seen: Set<unknown>,
  depth: number,
): void {
  if (!isRecord(schema) || seen.has(schema) || depth > MAX_SCHEMA_DEPTH) return;
  seen.add(schema);
  if (typeof schema["description"] === "string") parts.push(schema["description"]);
  if (isRecord(schema["properties"])) for (const name of Object.keys(schema["properties"])) parts.push(name);
  if (typeof schema["$ref"] === "string")
    collectText(resolveRef(schema["$ref"], root), root, parts, seen, depth + 1);
  for (const child of childSchemas(schema)) collectText(child, root, parts, seen, depth + 1);
}

function folded(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[^a-z0-9_$]/g, "_");
}

/** How far the query as a whole is a tool's name: 2 as written, 1 folded or without what stands before a `__`. */
function nameMatch(query: string, wanted: string, name: string): number {
  if (query === name) return 2;
  const own = folded(name);
  return own === wanted || own.endsWith(`__${wanted}`) ? 1 : 0;
}

function isWholeName(local: string, words: ReadonlySet<string>): boolean {
  const own = tokenize(local);
  return own.length > 0 && own.every((word) => words.has(word));
}
