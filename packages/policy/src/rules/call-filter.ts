import type { CallRequest, JsonValue } from "@nestbox/tool";

import { annotationsCount } from "./annotations.ts";
import { isRecord } from "../is-record.ts";
import { builtinTools } from "../mapping/builtin.ts";
import type { RuleMatch, TextMatch, ToolMatch, Trust } from "./types.ts";
import { compileRegex } from "./regex.ts";
import { anyWildcard, type TextTest, wildcard } from "./wildcard.ts";

/** How carefully a rule matches: a deny or ask on anything that could be meant, an allow only on what surely is. */
export type Care = "loose" | "strict";

export type CallTest = (request: CallRequest, care: Care) => boolean;

/** Compiles what a rule says about the call itself: tool, callers, actor, arguments. A bad regex is told to `fail`. */
export function compileCallFilter(match: RuleMatch, trust: Trust, fail: (message: string) => void): CallTest {
  const tests: CallTest[] = [];
  const actor = match.actor ?? "agent";
  if (actor !== "any") tests.push((request) => (request.actor ?? "agent") === actor);
  if (match.tool !== undefined) {
    const tools = match.tool.map((tool) => compileTool(tool, trust));
    tests.push((request, care) => tools.some((tool) => tool(request, care)));
  }
  if (match.calledBy !== undefined) {
    const caller = anyWildcard(match.calledBy);
    tests.push((request) => request.chain.some((call) => caller(call.toolName)));
  }
  for (const [path, text] of Object.entries(match.input ?? {})) {
    const keys = path.split(".");
    const test = compileText(text, fail);
    tests.push((request) => {
      const value = ownValue(request.input, keys);
      return value !== undefined && test(value);
    });
  }
  const [first] = tests;
  if (first === undefined) return () => true;
  return tests.length === 1 ? first : (request, care) => tests.every((test) => test(request, care));
}

function compileTool(match: ToolMatch, trust: Trust): CallTest {
  const { name, source, server, namespace, exposure, annotations } = match;
  const nameTest = name === undefined ? undefined : wildcard(name);
  const serverTest = server === undefined ? undefined : wildcard(server);
  const namespaceTest = namespace === undefined ? undefined : wildcard(namespace);
  const hints = annotations === undefined ? undefined : Object.entries(annotations);
  return ({ tool }, care) => {
    const from = tool.source;
    if (source !== undefined && from?.kind !== source) return false;
    if (serverTest !== undefined && (from?.kind !== "mcp" || !serverTest(from.server))) return false;
    // Two servers can have names that look alike once they are made part of a tool's name, and whatever a server says
    // of its tools is its own word: an allow that reaches MCP tools says so.
    if (
      care === "strict" &&
      from?.kind === "mcp" &&
      server === undefined &&
      source === undefined &&
      !(name !== undefined && namesServer(name, from.server) && nameTest?.(tool.name) === true)
    )
      return false;
    if (nameTest !== undefined && !namesOf(tool, care).some(nameTest)) return false;
    if (namespaceTest !== undefined && (tool.namespace === undefined || !namespaceTest(tool.namespace.name)))
      return false;
    if (exposure !== undefined && (tool.exposure ?? "direct") !== exposure) return false;
    return hints === undefined || hints.every(([hint, wanted]) => hasHint(tool, trust, care, hint, wanted));
  };
}

/**
 * `mcp__docs__*` names the server `docs` in full. With a `_` in it, it could as well be made of another one's name
 * (`foo.bar`, `foo_bar`): then the rule has to say which one it means.
 */
function namesServer(name: string, server: string): boolean {
  return /^[A-Za-z0-9-]{1,40}$/.test(server) && name.startsWith(`mcp__${server}__`);
}

/** The names that a rule may call a tool by: its own, and that at its MCP server. */
function namesOf(tool: CallRequest["tool"], care: Care): readonly string[] {
  if (tool.source?.kind !== "mcp") return [tool.name];
  if (care === "strict") {
    const prefix = `mcp__${tool.source.server.replace(/[^A-Za-z0-9_-]/g, "_")}__`;
    return tool.name.startsWith(prefix) ? [tool.name, tool.name.slice(prefix.length)] : [tool.name];
  }
  // How a host makes a name of a server's is its own affair: every ending may be the tool's.
  const parts = tool.name.split("__");
  return parts.map((_, index) => parts.slice(index).join("__"));
}

/** What MCP takes a missing hint for (contract A6). */
const missingHints: ReadonlyMap<string, boolean> = new Map([
  ["readOnlyHint", false],
  ["destructiveHint", true],
  ["idempotentHint", false],
  ["openWorldHint", true],
]);

/** An allow believes the hints of whom the person trusts; a deny or ask holds for what is claimed and for what may be. */
function hasHint(
  tool: CallRequest["tool"],
  trust: Trust,
  care: Care,
  hint: string,
  wanted: boolean,
): boolean {
  const stated =
    tool.annotations ??
    (tool.source?.kind === "builtin" ? builtinTools.get(tool.name)?.annotations : undefined);
  const claimed = new Map(Object.entries(stated ?? {})).get(hint);
  const missing = missingHints.get(hint);
  if (annotationsCount(tool, trust)) return (claimed ?? missing) === wanted;
  return missing === wanted || (care === "loose" && claimed === wanted);
}

function compileText(match: TextMatch, fail: (message: string) => void): (value: JsonValue) => boolean {
  if ("equals" in match) return (value) => value === match.equals;
  const test = "like" in match ? wildcard(match.like) : regexOrFail(match.regex, fail);
  return (value) => test(typeof value === "string" ? value : JSON.stringify(value));
}

/** The compiled expression; one that does not compile is told, and matches nothing. */
export function regexOrFail(source: string, fail: (message: string) => void): TextTest {
  const result = compileRegex(source);
  if (result.ok) return result.test;
  fail(result.message);
  return () => false;
}

/** An own property, through objects only. */
export function ownValue(input: JsonValue, keys: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = input;
  for (const key of keys) {
    if (value === undefined || !isRecord(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}
