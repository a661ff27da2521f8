import { parse, type ParseError } from "jsonc-parser";

import type { Effect } from "../decision.ts";
import { readCommandPattern } from "./command-pattern.ts";
import { createDraft, MAX_IMPORT_CHARS, type ImportResult, type PolicyDraft } from "./result.ts";
import { isRecord } from "../is-record.ts";

/** Claude Code's tools that touch a file, and what they do to it. */
const FILE_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Read", ["read"]],
  ["Glob", ["read"]],
  ["Grep", ["read"]],
  ["LS", ["read"]],
  ["NotebookRead", ["read"]],
  ["Edit", ["write", "delete"]],
  ["Write", ["write", "delete"]],
  ["MultiEdit", ["write", "delete"]],
  ["NotebookEdit", ["write", "delete"]],
]);

/** The tools of Pi that stand for them. */
const PI_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([
  ["Bash", ["bash"]],
  ["PowerShell", ["powershell"]],
  ["Read", ["read"]],
  ["Glob", ["find"]],
  ["Grep", ["grep"]],
  ["LS", ["ls"]],
  ["Edit", ["edit", "write"]],
  ["MultiEdit", ["edit"]],
  ["Write", ["write"]],
]);

/**
 * Makes a policy of the `permissions` of a Claude Code settings file. Nothing becomes laxer: a statement without an
 * exact counterpart is narrowed or dropped, and noted.
 */
export function importClaudeCode(source: string): ImportResult {
  if (source.length > MAX_IMPORT_CHARS) return { ok: false, message: "the file is too long" };
  const errors: ParseError[] = [];
  const settings: unknown = parse(source, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(settings))
    return { ok: false, message: "the file is not a JSON object" };
  const permissions = settings["permissions"];
  if (!isRecord(permissions)) return { ok: false, message: "the file has no permissions" };
  const draft = createDraft("claude-code");
  for (const effect of ["deny", "ask", "allow"] as const) {
    const list = permissions[effect];
    if (list === undefined) continue;
    if (!Array.isArray(list)) return { ok: false, message: `permissions.${effect} is not a list` };
    for (const entry of list as readonly unknown[]) {
      if (typeof entry !== "string")
        return { ok: false, message: `permissions.${effect} holds something that is not a text` };
      importEntry(draft, effect, entry);
    }
  }
  for (const key of ["defaultMode", "additionalDirectories", "disableBypassPermissionsMode"]) {
    if (permissions[key] !== undefined)
      draft.note("dropped", key, "modes and folders are said otherwise here");
  }
  return { ok: true, ...draft.finish() };
}

function importEntry(draft: PolicyDraft, effect: Effect, entry: string): void {
  const parts = /^([A-Za-z_][\w*-]*)(?:\(([\s\S]*)\))?$/.exec(entry.trim());
  const tool = parts?.[1];
  if (tool === undefined) {
    draft.note("dropped", entry, "it is not of the form Tool or Tool(rule)");
    return;
  }
  const rule = parts?.[2];
  if (tool.startsWith("mcp__")) importMcp(draft, effect, entry, tool);
  else if (tool === "Bash") importBash(draft, effect, entry, rule);
  else if (tool === "WebFetch") importWebFetch(draft, effect, entry, rule);
  else if (FILE_TOOLS.has(tool) && rule !== undefined && rule !== "" && rule !== "*" && rule !== "**") {
    importPath(draft, effect, entry, FILE_TOOLS.get(tool) ?? [], rule);
  } else if (PI_TOOLS.has(tool) && (rule === undefined || rule === "" || rule === "*" || rule === "**")) {
    wholeTools(draft, effect, entry, PI_TOOLS.get(tool) ?? []);
  } else draft.note("dropped", entry, "no tool of Pi stands for it");
}

function wholeTools(draft: PolicyDraft, effect: Effect, entry: string, tools: readonly string[]): void {
  // A whole tool that is allowed or asked about is what happens when no rule says more; a denied one is a rule.
  if (effect === "deny") draft.rule(effect, entry, { tool: tools });
  else for (const tool of tools) draft.fallback(tool, effect);
}

function importBash(draft: PolicyDraft, effect: Effect, entry: string, rule: string | undefined): void {
  const colon = rule?.endsWith(":*") === true;
  const read = readCommandPattern(
    colon ? `${rule.slice(0, -2)} *` : (rule ?? "*"),
    effect === "allow" ? "narrow" : "wide",
  );
  if (read.kind === "any") wholeTools(draft, effect, entry, ["bash"]);
  else if (read.kind === "none") draft.note("dropped", entry, read.message);
  else draft.rule(effect, entry, { command: read.command });
}

function importWebFetch(draft: PolicyDraft, effect: Effect, entry: string, rule: string | undefined): void {
  const domain = rule?.startsWith("domain:") === true ? rule.slice("domain:".length) : undefined;
  if (domain !== undefined && /^[\w.*-]+$/.test(domain)) draft.rule(effect, entry, { host: [domain] });
  else draft.note("dropped", entry, "Pi has no fetching tool of its own; name hosts instead");
}

function importMcp(draft: PolicyDraft, effect: Effect, entry: string, tool: string): void {
  const [, server = "", name] = tool.split("__");
  if (server === "" || (server.includes("*") && effect === "allow")) {
    draft.note("dropped", entry, "it names no server");
    return;
  }
  const whole = name === undefined || name === "" || name === "*";
  draft.rule(effect, entry, { tool: [whole ? { server } : { server, name: tool }] });
}

/** `//x` is absolute, `/x` and `x` are the project's, `~/x` the home's; patterns are those of gitignore. */
function importPath(
  draft: PolicyDraft,
  effect: Effect,
  entry: string,
  action: readonly string[],
  rule: string,
): void {
  if (rule.startsWith("!")) {
    draft.note("dropped", entry, "a negated pattern; write an except into the rule that it belongs to");
    return;
  }
  let glob = rule;
  if (rule.startsWith("//")) glob = rule.slice(1);
  else if (rule.startsWith("/")) glob = `./${rule.slice(1)}`;
  if (glob.endsWith("/")) glob += "**";
  draft.rule(effect, entry, { path: { glob: [glob], action } });
}
