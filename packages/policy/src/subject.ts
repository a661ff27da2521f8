import type { CallRequest } from "@nestbox/tool";

/**
 * The three normalised subjects of a call: the tool, the resources it touches, the commands it runs.
 * Everything a rule can match is one of these facts; an adapter (shell parser, tool mapping) makes them, the
 * engine only reads them.
 */
export interface CallSubject {
  readonly request: CallRequest;
  readonly resources: readonly ResourceFact[];
  readonly commands: readonly CommandFact[];
  /** Why the facts may be incomplete. Not empty: nothing is allowed without a person. */
  readonly doubts: readonly Doubt[];
  /** Every word of a command as written and dequoted where possible, for denies when parsing failed. */
  readonly rawWords: readonly string[];
}

export type ResourceAction = "read" | "write" | "delete" | "execute" | "network";

/** One resource that a call touches. */
export interface ResourceFact {
  readonly action: ResourceAction;
  readonly kind: "path" | "host" | "ref";
  /**
   * What the words name: a path as written (relative to `base`), a host, a git ref. `undefined`: not known
   * before it runs.
   */
  readonly value: string | undefined;
  /**
   * The value is a glob pattern, or names a whole tree below it. `within`: some of what is below it, and only the
   * program knows which, as `git pull` writes below the repository's folder.
   */
  readonly extent?: "exact" | "glob" | "tree" | "within";
  /**
   * For a path: the folder it is relative to, after any literal `cd`. `undefined`: not known. For a ref that is
   * pushed: the folder that the push runs in, after `git -C`.
   */
  readonly base?: string;
  /** For a ref: how it is changed. */
  readonly force?: boolean;
  /** For a ref: it changes in this repository and is not pushed. */
  readonly local?: true;
  /**
   * The words allow it but nothing shows that it happens, as with a path given to a program that is not in the
   * table. A deny counts it.
   */
  readonly possible?: true;
  /**
   * For a path that is not known: nothing shows that there is one beside those named, but a name that an earlier
   * command lists may be split here, as `xargs` splits at blanks. A rule of a layer counts it.
   */
  readonly split?: true;
  /** For a tree or a glob that is read: names are told, not what the files hold, as `find` and `tree` do. */
  readonly names?: true;
  /** For a tree: links in it are followed, as `grep -R` does. */
  readonly follow?: true;
  /** The shell opens it for a redirection, whatever the command is. */
  readonly redirected?: true;
  /** Where it stands, for the explanation, for example `rm build` or `input.path`. */
  readonly origin: string;
}

/** One word of a command. */
export interface Word {
  /** As written. */
  readonly raw: string;
  /** After quote removal; `undefined` when an expansion decides it. */
  readonly value: string | undefined;
  /** The value has an unquoted glob. */
  readonly glob?: boolean;
  /** The literal parts of a word that has expansions, for denies. */
  readonly parts?: readonly string[];
}

export interface Redirection {
  readonly operator: string;
  readonly fd?: number | string;
  readonly target: Word;
  readonly action: "read" | "write" | "none";
}

/** One simple command, after unwrapping. A wrapper and what it runs are two facts. */
export interface CommandFact {
  /** argv, program first; never empty. */
  readonly argv: readonly [Word, ...Word[]];
  /** Basename of the program without an extension such as `.exe`; `undefined` when dynamic. */
  readonly program: string | undefined;
  /** The wrappers it was found in, outermost first, for example `["sudo", "xargs"]`. */
  readonly wrappers: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: Word }[];
  readonly redirections: readonly Redirection[];
  readonly pipeline: { readonly index: number; readonly length: number };
  /** Working folder at that point: absolute, or relative to the call's own; `undefined`: not known. */
  readonly cwd: string | undefined;
  /** Subcommand words of a program that has them, after global options: `["stash", "push"]`. */
  readonly subcommand: readonly string[];
  /** Options normalised to their long or canonical name: clusters, `=`, glued and abbreviated forms. */
  readonly flags: readonly { readonly name: string; readonly value?: Word }[];
  /** Words that are neither options nor their values. */
  readonly operands: readonly Word[];
  readonly resources: readonly ResourceFact[];
  /** It runs code that nobody can see into: an interpreter's `-c`, a remote shell, standard input as code. */
  readonly opaque?: string;
  /** The program is in the table of known programs. */
  readonly known: boolean;
  /**
   * It starts the commands that follow with it as their last wrapper. `plain`: and does nothing else; `changes`: it
   * also does something itself (`find -delete`, `npm exec`), or changes rights, root or machine (`sudo`, `chroot`).
   */
  readonly wrapper?: "plain" | "changes";
  /** Known to have no effect but reading what `resources` lists and printing it. */
  readonly readOnly: boolean;
  /** The source text of this command, for the explanation. */
  readonly source: string;
}

export interface Doubt {
  readonly kind:
    | "syntax"
    | "limit"
    | "dynamic-program"
    | "dynamic-word"
    | "unknown-shell"
    | "redefinition"
    | "opaque"
    | "environment"
    | "evaluates-argument"
    | "unknown-wrapper"
    | "invalid-input";
  readonly message: string;
  /** Index into `commands`, where one is meant. */
  readonly command?: number;
  /** It matters to a rule that allows the command, and not where a whole tool is allowed. */
  readonly mild?: true;
}
