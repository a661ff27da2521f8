import type { CallRequest, ToolAnnotations, ToolExposure } from "@nestbox/tool";

import type { Effect, LayerName } from "../decision.ts";
import type { ResourceAction } from "../subject.ts";

/** A policy file, parsed and checked. One file is one layer. */
export interface Policy {
  readonly version: 1;
  /** What happens to a call of a tool when no rule matches it, by tool name or wildcard. The most exact name wins. */
  readonly fallback: Readonly<Record<string, Effect>>;
  /** Built-in rules by id: `false` switches one off, an object changes it. Only in the managed and the user layer. */
  readonly preset: Readonly<Record<string, PresetChange>>;
  /** Whether allows, fallbacks and trust of the project layer count. Only in the managed and the user layer. */
  readonly projectMayLoosen?: boolean;
  /** What the arguments of tools that are not Pi's mean, by tool name. */
  readonly tools: Readonly<Record<string, ToolMapping>>;
  readonly trust: Trust;
  readonly rules: readonly Rule[];
}

/** A change of a built-in rule: off, or narrower, or with another effect. */
export type PresetChange = false | { readonly effect?: Effect; readonly except?: readonly RuleMatch[] };

/** Whose word counts. */
export interface Trust {
  /** MCP servers whose annotations count, by exact server name. */
  readonly mcpServers?: readonly string[];
  /** Whether the annotations of installed extensions, modules and SDK tools count. Default true. */
  readonly annotations?: boolean;
  /** Environment variables that may be set in front of an allowed command, besides the harmless ones. */
  readonly env?: readonly string[];
  /** Folders whose programs are the ones their names say, besides the system's. */
  readonly programFolders?: readonly string[];
  /** Programs that run the rest of their words as a command, such as a project's own wrapper. */
  readonly wrappers?: readonly string[];
}

/** What the arguments of one tool mean. Adds facts; never takes one away. */
export interface ToolMapping {
  /** The MCP server that the tool belongs to. Without it, a mapping of an MCP tool only adds facts. */
  readonly server?: string;
  /** The argument that is a shell command. */
  readonly shell?: {
    readonly argument: string;
    /** The argument that is the working folder. */
    readonly cwd?: string;
    /** What the command is written in; anything but `bash` and `sh` is never seen into. Default `bash`. */
    readonly language?: string;
  };
  readonly paths?: readonly PathArgument[];
  /** The argument that is a patch in the `*** Begin Patch` form, or a unified diff. */
  readonly patch?: { readonly argument: string };
  /** Arguments that are URLs or host names. */
  readonly hosts?: readonly string[];
  /** The tool itself does nothing: it is allowed, and each call it makes is judged. */
  readonly transparent?: boolean;
  /** The mapping names every effect of the tool, so the parts alone decide. Default true; not in the project layer. */
  readonly complete?: boolean;
  /** Made by the engine for a tool that nobody mapped, by its name: what does not fit says nothing. */
  readonly guessed?: true;
  /** Annotations of our own; the worse value counts where the tool states one too. */
  readonly annotations?: ToolAnnotations;
}

export interface PathArgument {
  /** Name of the argument; `a.b` reaches into objects, `a[].b` into each item of a list. */
  readonly argument: string;
  readonly action: ResourceAction;
  /** The path names everything below it. */
  readonly tree?: boolean;
  /** The argument that narrows a tree to a glob pattern. */
  readonly glob?: string;
  /** Of what is below it the tool tells names only; in the built-in table. */
  readonly names?: true;
  /** What the path is when the argument is absent. */
  readonly default?: string;
}

/** What a rule looks at. All that is given must hold. */
export interface RuleMatch {
  /** One of these tools. */
  readonly tool?: readonly ToolMatch[];
  /** The call was made, directly or through others, by a tool of one of these names or wildcards. */
  readonly calledBy?: readonly string[];
  /** Who calls. A rule that does not say binds the agent; a person's own command is not judged. */
  readonly actor?: "agent" | "person" | "any";
  /** Arguments of the call, by name (`a.b` reaches into objects). */
  readonly input?: Readonly<Record<string, TextMatch>>;
  /** One of these commands. */
  readonly command?: readonly CommandMatch[];
  readonly path?: PathMatch;
  /** Host names or wildcards: `example.com`, `*.example.com`. */
  readonly host?: readonly string[];
  readonly ref?: RefMatch;
}

/** One rule. Exactly one kind of subject decides where it applies: see {@link ruleKind}. */
export interface Rule extends RuleMatch {
  /** Unique in its file. */
  readonly id: string;
  readonly effect: Effect;
  readonly limit?: LimitMatch;
  readonly loop?: LoopMatch;
  /** What the rule leaves out. Written by the rule's owner; no other layer can add one. */
  readonly except?: readonly RuleMatch[];
  /** Why, in one sentence; the model and the person read it. */
  readonly reason?: string;
  /** One way out, for the model. */
  readonly instead?: string;
  /** No grant and no mode answers this ask without a person. */
  readonly personOnly?: boolean;
  /** Examples that the rule must match, run when the file loads. */
  readonly match?: readonly Example[];
  /** Examples that the rule must not match. */
  readonly notMatch?: readonly Example[];
}

/** A command line, a path, a host, a ref or a tool name (by the rule's kind), or a whole call. */
export type Example =
  | string
  | {
      readonly tool: string;
      readonly input?: CallRequest["input"];
      readonly server?: string;
      readonly calledBy?: readonly string[];
      readonly action?: ResourceAction;
    };

export interface ToolMatch {
  /** Name or wildcard. */
  readonly name?: string;
  /** Where the tool comes from. */
  readonly source?: "builtin" | "extension" | "module" | "sdk" | "mcp";
  /** Identity of the MCP server, never its sanitised form. `*` is any server. */
  readonly server?: string;
  /** Name or wildcard of its namespace. */
  readonly namespace?: string;
  readonly exposure?: ToolExposure;
  /** Hints that the tool has; a missing one counts as MCP says, one of whom nobody trusts allows nothing. */
  readonly annotations?: ToolAnnotations;
}

/** Exactly these words. */
export interface ExactCommand {
  readonly exact: readonly string[];
  readonly env?: readonly string[];
}

/** These words first, each whole. */
export interface PrefixCommand {
  readonly prefix: readonly string[];
  readonly env?: readonly string[];
}

/** Statements about the parsed command; all that is given must hold. */
export interface PredicateCommand {
  /** Names of programs, or `*`. */
  readonly program: readonly string[];
  /** First operands or subcommand words, each a name or wildcard. */
  readonly subcommand?: readonly string[];
  readonly flags?: {
    /** At least one of these. */
    readonly any?: readonly string[];
    /** Every one of these. */
    readonly all?: readonly string[];
    /** None of these. */
    readonly none?: readonly string[];
    /** No other than these. */
    readonly only?: readonly string[];
  };
  readonly operands?: {
    readonly min?: number;
    readonly max?: number;
    /** Each operand (in an allow) or one of them (in an ask or deny) matches one of these wildcards. */
    readonly like?: readonly string[];
  };
  /** The command has no effect but reading (true), or is not known to have none (false). */
  readonly readOnly?: boolean;
  /** A regular expression over the words, joined with one space. Linear time: no look-around, no back references. */
  readonly regex?: string;
  /** Environment variables that may be set in front of it. */
  readonly env?: readonly string[];
}

export type CommandMatch = ExactCommand | PrefixCommand | PredicateCommand;

export interface PathMatch {
  /**
   * Glob patterns: `name` and `*.ext` match at any depth, `dir/**` is relative to the working folder, `~/x` to the
   * home, `/x` and `C:/x` are absolute. A folder covers what is below it.
   */
  readonly glob?: readonly string[];
  /** Everything outside the working folder (true) or inside it (false). */
  readonly outside?: boolean;
  /** What is done to the path; absent: anything. */
  readonly action?: readonly ResourceAction[];
}

export interface RefMatch {
  /** Names or wildcards of git refs, without `refs/heads/`. Absent: any. */
  readonly name?: readonly string[];
  readonly force?: boolean;
}

/** A text, or a wildcard in `like`, or a regular expression in `regex`. */
export type TextMatch =
  | { readonly equals: string | number | boolean | null }
  | { readonly like: string }
  | { readonly regex: string };

/** A budget: the rule applies from the call after this many. */
export interface LimitMatch {
  readonly calls?: number;
  readonly prompts?: number;
  /** What is counted: this tool in the session, all calls below one root call, or one script. */
  readonly per: "tool" | "chain" | "script" | "session";
}

/** A loop: the same again with the same result. */
export interface LoopMatch {
  /** The rule applies from this many identical calls with identical results on. */
  readonly identical?: number;
  /** A cycle of two to four calls with identical results, seen this many times. */
  readonly cycles?: number;
}

export type RuleKind = "command" | "path" | "host" | "ref" | "limit" | "tool";

/** Which part of a call a rule decides: the most particular subject that it names. */
export function ruleKind(
  rule: RuleMatch & { readonly limit?: LimitMatch; readonly loop?: LoopMatch },
): RuleKind {
  if (rule.limit !== undefined || rule.loop !== undefined) return "limit";
  if (rule.command !== undefined) return "command";
  if (rule.path !== undefined) return "path";
  if (rule.host !== undefined) return "host";
  if (rule.ref !== undefined) return "ref";
  return "tool";
}

/** What is wrong with a policy file. Line and column count from 1. */
export interface PolicyProblem {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** One layer for the engine: a policy that loaded, or the reason why it did not. */
export type PolicyLayer =
  | { readonly ok: true; readonly name: LayerName; readonly file?: string; readonly policy: Policy }
  | {
      readonly ok: false;
      readonly name: LayerName;
      readonly file?: string;
      readonly problems: readonly PolicyProblem[];
    };

/** A policy that says nothing. */
export const emptyPolicy: Policy = { version: 1, fallback: {}, preset: {}, tools: {}, trust: {}, rules: [] };
