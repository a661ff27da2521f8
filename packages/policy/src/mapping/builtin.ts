import type { ToolMapping } from "../rules/types.ts";

const readOnly = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;

/**
 * Pi's built-in tools carry no annotations, so this is our own reviewed table of what they do. `read`, `grep`, `find`
 * and `ls` change nothing; `write` and `edit` write the one file they name; `bash` and `powershell` run a command.
 */
export const builtinTools: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ["read", { paths: [{ argument: "path", action: "read" }], annotations: readOnly }],
  ["ls", { paths: [{ argument: "path", action: "read", default: "." }], annotations: readOnly }],
  [
    "grep",
    {
      paths: [{ argument: "path", action: "read", tree: true, glob: "glob", default: "." }],
      annotations: readOnly,
    },
  ],
  // `find` prints names only, but what it prints of a folder is read all the same.
  [
    "find",
    {
      paths: [{ argument: "path", action: "read", tree: true, glob: "pattern", default: "." }],
      annotations: readOnly,
    },
  ],
  ["write", { paths: [{ argument: "path", action: "write" }] }],
  ["edit", { paths: [{ argument: "path", action: "write" }] }],
  ["bash", { shell: { argument: "command" } }],
  ["powershell", { shell: { argument: "command", language: "powershell" } }],
]);

/** Tools that other hosts and extensions ship under well-known names. Facts only: the tool itself is still judged. */
export const knownForeignTools: ReadonlyMap<string, ToolMapping> = new Map<string, ToolMapping>([
  ["apply_patch", { patch: { argument: "patch" } }],
]);

/**
 * Orchestrators that do nothing themselves (contract A15): each call they make is judged. An MCP server's tool of the
 * same name is not meant.
 */
export const transparentTools: ReadonlySet<string> = new Set(["codemode", "tool_search"]);

/** Transparent within the namespace of the review tools only. */
export const transparentNamespaced: ReadonlyMap<string, string> = new Map([["review_diff", "review"]]);
