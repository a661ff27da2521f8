import { parse, type ParseError } from "jsonc-parser";

import type { JsonObject } from "@nestbox/tool";

import type { Effect } from "../decision.ts";
import { effectWeight } from "../engine/strictest.ts";
import { readCommandPattern } from "./command-pattern.ts";
import { createDraft, MAX_IMPORT_CHARS, type ImportResult, type PolicyDraft } from "./result.ts";
import { isRecord } from "../is-record.ts";

/** One statement in order: the last one that matches decides there, the strictest here. */
interface Statement {
  readonly action: string;
  readonly resource: string;
  readonly effect: Effect;
}

/** What opencode's actions are called here. */
const TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["bash", ["bash"]],
  ["shell", ["bash"]],
  ["read", ["read"]],
  ["edit", ["edit", "write"]],
  ["write", ["write"]],
  ["glob", ["find"]],
  ["grep", ["grep"]],
  ["list", ["ls"]],
  ["task", ["task"]],
]);

const PATH_ACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["read", ["read"]],
  ["glob", ["read"]],
  ["grep", ["read"]],
  ["list", ["read"]],
  ["edit", ["write", "delete"]],
  ["write", ["write", "delete"]],
]);

/**
 * Makes a policy of opencode's `permission` (an object) or `permissions` (a list). There the last statement that
 * matches decides; here the strictest does, so a later, laxer statement becomes an exception of the earlier one.
 */
export function importOpencode(source: string): ImportResult {
  if (source.length > MAX_IMPORT_CHARS) return { ok: false, message: "the file is too long" };
  const errors: ParseError[] = [];
  const config: unknown = parse(source, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(config)) return { ok: false, message: "the file is not a JSON object" };
  const statements =
    config["permissions"] === undefined ? fromObject(config["permission"]) : fromList(config["permissions"]);
  if (statements === undefined) return { ok: false, message: "the file has no permissions that can be read" };
  const draft = createDraft("opencode");
  // A statement about everything replaces what stands before it.
  const everything = statements.findLastIndex(({ action, resource }) => action === "*" && resource === "*");
  const byAction = Map.groupBy(statements.slice(Math.max(0, everything)), (statement) => statement.action);
  for (const [action, list] of byAction) importAction(draft, action, list);
  return { ok: true, ...draft.finish() };
}

function fromObject(permission: unknown): readonly Statement[] | undefined {
  if (isEffect(permission)) return [{ action: "*", resource: "*", effect: permission }];
  if (!isRecord(permission)) return undefined;
  const statements: Statement[] = [];
  for (const [action, value] of Object.entries(permission)) {
    if (isEffect(value)) statements.push({ action, resource: "*", effect: value });
    else if (isRecord(value)) {
      for (const [resource, effect] of Object.entries(value)) {
        if (!isEffect(effect)) return undefined;
        statements.push({ action, resource, effect });
      }
    } else return undefined;
  }
  return statements;
}

function fromList(permissions: unknown): readonly Statement[] | undefined {
  if (!Array.isArray(permissions)) return undefined;
  const statements: Statement[] = [];
  for (const item of permissions as readonly unknown[]) {
    if (!isRecord(item)) return undefined;
    const { action, resource, effect } = item;
    if (typeof action !== "string" || typeof resource !== "string" || !isEffect(effect)) return undefined;
    statements.push({ action, resource, effect });
  }
  return statements;
}

function importAction(draft: PolicyDraft, action: string, statements: readonly Statement[]): void {
  const tools = action === "*" ? ["*"] : TOOLS.get(action);
  if (action === "external_directory") {
    const last = statements.findLast((statement) => statement.resource === "*");
    for (const statement of statements) {
      if (statement !== last)
        draft.note("dropped", textOf(statement), "name the folder in a path rule instead");
    }
    if (last !== undefined) draft.rule(last.effect, textOf(last), { path: { outside: true } });
    return;
  }
  for (const [index, statement] of statements.entries()) {
    const later = statements.slice(index + 1);
    // What a later statement about everything says replaces this one.
    if (later.some((other) => other.resource === "*")) continue;
    if (statement.resource === "*") {
      if (tools === undefined) draft.note("dropped", textOf(statement), "no tool of Pi stands for it");
      else for (const tool of tools) draft.fallback(tool, statement.effect);
      continue;
    }
    const fields = fieldsOf(action, statement, statement.effect === "allow" ? "narrow" : "wide");
    if (typeof fields === "string") {
      draft.note("dropped", textOf(statement), fields);
      continue;
    }
    const except: JsonObject[] = [];
    for (const other of later) {
      if (effectWeight(other.effect) >= effectWeight(statement.effect)) continue;
      const exception = fieldsOf(action, other, "narrow");
      if (typeof exception === "string") {
        draft.note("narrowed", textOf(other), `not an exception of ${textOf(statement)}: ${exception}`);
      } else except.push(exception);
    }
    draft.rule(statement.effect, textOf(statement), { ...fields, ...(except.length > 0 ? { except } : {}) });
  }
}

/** What allows or excepts may cover less than there, never more; what blocks or asks may cover more, never less. */
type Care = "narrow" | "wide";

/** The subject of one statement, or why it has none here. */
function fieldsOf(action: string, statement: Statement, care: Care): JsonObject | string {
  if (action === "bash" || action === "shell") {
    const read = readCommandPattern(statement.resource, care);
    if (read.kind === "command") return { command: read.command };
    return read.kind === "none" ? read.message : "it means every command";
  }
  const actions = PATH_ACTIONS.get(action);
  if (actions !== undefined) return { path: { glob: [pathGlob(statement.resource, care)], action: actions } };
  if (action === "webfetch") {
    const host = /^(?:https?:\/\/)?([\w.*-]+)(?:\/\*?)?$/.exec(statement.resource)?.[1];
    return host === undefined ? "only whole hosts have a counterpart" : { host: [host] };
  }
  return "no tool of Pi stands for it";
}

/** There `*` also passes through folders; here only `**` does. */
function pathGlob(resource: string, care: Care): string {
  const home = resource.replace(/^\$HOME(?=\/|$)/, "~");
  return home.replaceAll(/\*+/g, (stars, offset: number, text: string) => {
    const end = offset + stars.length;
    const whole = (offset === 0 || text[offset - 1] === "/") && (end === text.length || text[end] === "/");
    if (whole) return "**";
    // A name at any depth is what a single name means here.
    return care === "narrow" || !text.includes("/") ? "*" : "{*,*/**/*}";
  });
}

function textOf(statement: Statement): string {
  return `${statement.action} ${statement.resource}: ${statement.effect}`;
}

function isEffect(value: unknown): value is Effect {
  return value === "allow" || value === "ask" || value === "deny";
}
