import type { CommandFact, Doubt, Redirection, ResourceFact } from "../subject.ts";
import type { Listing } from "./listing.ts";
import type { ShellWord } from "./shell-word.ts";

/** A program that the reader of a policy declares to run what follows it. */
export interface DeclaredWrapper {
  readonly name: string;
  /** Its options that take the next word. */
  readonly valueOptions?: readonly string[];
  /** Operands before the command. */
  readonly skip?: number;
}

export interface AnalyzeOptions {
  /** Default `bash`. Anything that is not bash or POSIX is not parsed: doubt `unknown-shell`. */
  readonly shell?: string;
  readonly platform?: string;
  /** Absolute; makes `~` and `$HOME` known. */
  readonly home?: string;
  /** Absolute working folder of the call; without it, folders are told relative to `.`. */
  readonly cwd?: string;
  /** The environment that the shell starts with. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly wrappers?: readonly (string | DeclaredWrapper)[];
  /** Variables that may be set before a command, beside the built-in list; `NAME` or `PREFIX*`. */
  readonly harmlessVariables?: readonly string[];
  /** Whether a rule forbids a program of this name: then it may be what an unknown program starts. */
  readonly isForbidden?: (program: string) => boolean;
  /** Whether there is a folder of this absolute path, so that `cd` goes there; without it, `cd` may always fail. */
  readonly isFolder?: (path: string) => boolean;
  /** The names in a folder of this absolute path, where they are known: a glob is no option where none begins with `-`. */
  readonly namesIn?: (path: string) => readonly string[] | undefined;
  /** Processes that a signal must not reach unasked: the host's own. */
  readonly protectedPids?: readonly number[];
  readonly limits?: Partial<ShellLimits>;
}

/** Past a limit the facts stop, a doubt says so, and the raw words are still those of the whole text. */
export interface ShellLimits {
  readonly maxChars: number;
  readonly maxDepth: number;
  readonly maxCommands: number;
  /** Words of one command. */
  readonly maxWords: number;
}

export const defaultShellLimits: ShellLimits = {
  maxChars: 65_536,
  maxDepth: 32,
  maxCommands: 2_000,
  maxWords: 8_192,
};

/** Where a command's standard input comes from, as far as the words tell. */
export type StandardInput =
  | { readonly kind: "inherited" }
  | { readonly kind: "pipe" }
  | { readonly kind: "names"; readonly listing: Listing }
  | { readonly kind: "file"; readonly word: ShellWord }
  | { readonly kind: "text"; readonly text: string | undefined; readonly guess?: string };

/** The folders a command may run in; `undefined` among them: any folder. Never empty. */
export type Folders = readonly (string | undefined)[];

/** Folders after a command that succeeded and after one that failed; empty when it does not come back. */
export interface Outcome {
  readonly ok: Folders;
  readonly fail: Folders;
}

/** What surrounds a command: all of it is inherited by what runs inside. */
export interface Scope {
  readonly wrappers: readonly string[];
  readonly redirections: readonly Redirection[];
  /** Path effects of those redirections. */
  readonly redirected: readonly ResourceFact[];
  readonly input: StandardInput;
  readonly pipeline: { readonly index: number; readonly length: number };
  /** The text that positions index into. */
  readonly text: string;
  readonly depth: number;
  /** Variables whose value is plain from the text. */
  readonly variables: ReadonlyMap<string, ShellWord>;
  /** The list that is read runs once, from its start, in the shell that reads on. */
  readonly steady: boolean;
  /** It runs on another machine or in a container: what it does is the same, and its paths are not those of here. */
  readonly elsewhere?: true;
}

/** One run of the analysis: what was found so far, and how its parts call each other. */
export interface Analysis {
  readonly options: AnalyzeOptions;
  readonly limits: ShellLimits;
  readonly commands: CommandFact[];
  /** Resources that belong to no command. */
  readonly loose: ResourceFact[];
  readonly doubts: Doubt[];
  /** Functions of this text that leave the folder they are called in. */
  readonly movers: Set<string>;
  /** Variables that the text only sets to numbers, as looked up so far. */
  readonly numeric: Map<string, boolean>;
  /** Aliases of git that the text itself sets. */
  readonly gitAliases: Map<string, string>;
  /** Set when `HOME` is assigned: `~` is no longer known. */
  homeChanged: boolean;
  stopped: boolean;
  /** Set once something ran that may have set any variable: from then on none is known. */
  variablesLost: boolean;
  /** Characters that may still be parsed: scripts in scripts are read again and again. */
  charsLeft: number;
  /** Bodies of `for` loops that may still be read again, once for each value. */
  loopRunsLeft: number;
  /** Words that braces may still make. */
  braceWordsLeft: number;
  /** Reads a text as a shell script of its own. */
  readonly runText: (text: string, scope: Scope, folders: Folders) => Outcome;
  /** Reads words as a command. */
  readonly runWords: (
    words: readonly ShellWord[],
    scope: Scope,
    folders: Folders,
    extra?: CommandExtra,
  ) => Outcome;
}

export interface CommandExtra {
  readonly env?: readonly { readonly name: string; readonly value: ShellWord }[];
  readonly source?: string;
}

/** Doubts are told once each, and not without end. */
const maxDoubts = 500;

export function addDoubt(
  analysis: Analysis,
  kind: Doubt["kind"],
  message: string,
  command?: number,
  more: { readonly mild?: true } = {},
): void {
  const known = analysis.doubts.some(
    (doubt) => doubt.kind === kind && doubt.message === message && doubt.command === command,
  );
  if (known || analysis.doubts.length >= maxDoubts) return;
  analysis.doubts.push({ kind, message, ...(command === undefined ? {} : { command }), ...more });
}

/** True when there is no room for more; the doubt is noted. */
export function pastLimit(analysis: Analysis, depth: number): boolean {
  if (depth > analysis.limits.maxDepth) {
    addDoubt(analysis, "limit", `commands are nested more than ${analysis.limits.maxDepth} deep`);
    return true;
  }
  if (analysis.commands.length >= analysis.limits.maxCommands) {
    analysis.stopped = true;
    addDoubt(analysis, "limit", `more than ${analysis.limits.maxCommands} commands in one text`);
    return true;
  }
  return false;
}

export function homeOf(analysis: Analysis): string | undefined {
  return analysis.homeChanged ? undefined : analysis.options.home;
}

/** Shells that know POSIX syntax and no more. */
export function isStrictPosix(analysis: Analysis): boolean {
  return (
    analysis.options.shell === "sh" || analysis.options.shell === "dash" || analysis.options.shell === "ash"
  );
}
