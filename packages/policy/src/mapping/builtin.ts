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
  // It prints names only: see `names` of a resource.
  [
    "find",
    {
      paths: [{ argument: "path", action: "read", tree: true, glob: "pattern", default: ".", names: true }],
      annotations: readOnly,
    },
  ],
  ["write", { paths: [{ argument: "path", action: "write" }] }],
  ["edit", { paths: [{ argument: "path", action: "write" }] }],
  ["bash", { shell: { argument: "command" } }],
  ["powershell", { shell: { argument: "command", language: "powershell" } }],
]);

const reads = (...names: readonly string[]): ToolMapping => ({
  paths: names.map((argument) => ({ argument, action: "read" })),
});
const writes = (...names: readonly string[]): ToolMapping => ({
  paths: names.map((argument) => ({ argument, action: "write" })),
});
const runs = (argument: string): ToolMapping => ({ shell: { argument, cwd: "workdir" } });
const file = ["path", "file_path", "target_file"] as const;
const fetches: ToolMapping = { hosts: ["url"] };

/**
 * Tools that other hosts, extensions and servers ship under well-known names. Facts only: the tool itself is still
 * judged, and an argument that is of another type than expected says nothing.
 */
export const knownForeignTools: ReadonlyMap<string, readonly ToolMapping[]> = new Map<
  string,
  readonly ToolMapping[]
>([
  ["apply_patch", [{ patch: { argument: "patch" } }, { patch: { argument: "input" } }]],
  ["exec_command", [runs("cmd")]],
  ...[
    "shell",
    "local_shell",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "execute_command",
    "bash_tool",
    "terminal",
  ].map((name) => [name, [runs("command")]] as const),
  ...["read_file", "read_text_file", "view_file", "list_directory", "search_files"].map(
    (name) => [name, [reads(...file)]] as const,
  ),
  ...["write_file", "edit_file", "create_file", "multi_edit", "create_directory"].map(
    (name) => [name, [writes(...file)]] as const,
  ),
  ["str_replace_based_edit_tool", [writes("path")]],
  ["str_replace_editor", [writes("path")]],
  ["notebook_edit", [writes("notebook_path")]],
  ["delete_file", [{ paths: file.map((argument) => ({ argument, action: "delete", tree: true })) }]],
  [
    "move_file",
    [
      {
        paths: [
          { argument: "source", action: "delete", tree: true },
          { argument: "destination", action: "write", tree: true },
        ],
      },
    ],
  ],
  ["fetch", [fetches]],
  ["web_fetch", [fetches]],
]);

/**
 * Orchestrators that do nothing themselves (contract A15): each call they make is judged. An MCP server's tool of the
 * same name is not meant.
 */
export const transparentTools: ReadonlySet<string> = new Set(["codemode", "tool_search"]);

/** Transparent within the namespace of the review tools only. */
export const transparentNamespaced: ReadonlyMap<string, string> = new Map([["review_diff", "review"]]);
