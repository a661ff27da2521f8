import type { CallRequest, JsonObject, JsonValue } from "@nestbox/tool";

import type { RuleMatch, TextMatch, ToolMatch } from "./types.ts";
import { compileRegex } from "./regex.ts";
import { anyWildcard, type TextTest, wildcard } from "./wildcard.ts";

/** How carefully a rule matches: a deny or ask on anything that could be meant, an allow only on what surely is. */
export type Care = "loose" | "strict";

export type CallTest = (request: CallRequest, care: Care) => boolean;

/** Compiles what a rule says about the call itself: tool, callers, actor, arguments. A bad regex is told to `fail`. */
export function compileCallFilter(match: RuleMatch, fail: (message: string) => void): CallTest {
  const tests: CallTest[] = [];
  const actor = match.actor ?? "agent";
  if (actor !== "any") tests.push((request) => (request.actor ?? "agent") === actor);
  if (match.tool !== undefined) {
    const tools = match.tool.map(compileTool);
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

function compileTool(match: ToolMatch): CallTest {
  const tests: CallTest[] = [];
  const { name, source, server, namespace, exposure } = match;
  if (name !== undefined) {
    const test = wildcard(name);
    tests.push(({ tool }, care) => {
      if (tool.source?.kind !== "mcp") return test(tool.name);
      // Two servers can have names that look alike once they are made part of a tool's name, so an allow needs the
      // server's identity beside the name.
      if (care === "strict" && server === undefined) return false;
      return test(tool.name) || (server !== undefined && test(withoutServer(tool.name)));
    });
  }
  if (source !== undefined) tests.push(({ tool }) => tool.source?.kind === source);
  if (server !== undefined) {
    const test = wildcard(server);
    tests.push(({ tool }) => tool.source?.kind === "mcp" && test(tool.source.server));
  }
  if (namespace !== undefined) {
    const test = wildcard(namespace);
    tests.push(({ tool }) => tool.namespace !== undefined && test(tool.namespace.name));
  }
  if (exposure !== undefined) tests.push(({ tool }) => (tool.exposure ?? "direct") === exposure);
  return (request, care) => tests.every((test) => test(request, care));
}

/** The tool's own name at its server: `mcp__server__tool` without what stands before the last pair of underscores. */
function withoutServer(name: string): string {
  const rest = name.startsWith("mcp__") ? name.slice(5) : name;
  const at = rest.indexOf("__");
  return at < 0 ? rest : rest.slice(at + 2);
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
    if (value === undefined || !isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
