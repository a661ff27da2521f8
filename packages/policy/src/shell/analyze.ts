import { parse } from "unbash";

import type { CommandFact, Doubt, ResourceFact } from "../subject.ts";
import {
  addDoubt,
  defaultShellLimits,
  isStrictPosix,
  type Analysis,
  type AnalyzeOptions,
  type CommandExtra,
  type Folders,
  type Outcome,
  type Scope,
} from "./analysis.ts";
import { readCommand } from "./command.ts";
import { alone, readScript } from "./control-flow.ts";
import { joinPath } from "./folders.ts";
import { rawWordsOf } from "./raw-words.ts";
import type { ShellWord } from "./shell-word.ts";

/** The facts of one command text. With no doubts, every command that the text can run is in `commands`. */
export interface ShellFacts {
  readonly commands: readonly CommandFact[];
  /** The resources of all commands, and those that belong to none. */
  readonly resources: readonly ResourceFact[];
  readonly doubts: readonly Doubt[];
  readonly rawWords: readonly string[];
}

/** Shells whose text is read with the bash grammar, and whether that grammar is theirs. */
const shells: ReadonlyMap<string, "own" | "near"> = new Map([
  ["bash", "own"],
  ["sh", "own"],
  ["dash", "own"],
  ["ash", "own"],
  ["zsh", "near"],
  ["ksh", "near"],
  ["mksh", "near"],
]);

/** bash syntax that another POSIX shell reads as something else. */
const bashOnly =
  /\$'|\$"|<\(|>\(|&>|\|&|<<<|\[\[|\bfunction\b|\{[^{}\s]*(,|\.\.)[^{}\s]*\}|\bselect\b|\bcoproc\b/;

/**
 * Turns a shell command text into facts: every command that it can run, unwrapped, with its flags, its resources
 * and where they stand. Pure and total: it never throws, runs nothing and reads no file. Whatever it cannot be sure
 * of is a doubt, and `rawWords` always has every whole word of the text.
 */
export function analyzeCommand(source: string, options: AnalyzeOptions = {}): ShellFacts {
  const doubts: Doubt[] = [];
  const limits = { ...defaultShellLimits, ...options.limits };
  const analysis: Analysis = {
    options,
    limits,
    commands: [],
    loose: [],
    doubts,
    movers: new Set(),
    numeric: new Map(),
    gitAliases: new Map(),
    homeChanged: false,
    stopped: false,
    variablesLost: false,
    charsLeft: limits.maxChars * 4,
    loopRunsLeft: 64,
    braceWordsLeft: limits.maxWords,
    runText: (text: string, scope: Scope, folders: Folders) => runText(analysis, text, scope, folders),
    runWords: (words: readonly ShellWord[], scope: Scope, folders: Folders, extra?: CommandExtra): Outcome =>
      readCommand(analysis, words, scope, folders, extra),
  };
  const text: unknown = source;
  if (typeof text !== "string") {
    addDoubt(analysis, "invalid-input", "the command is not a text");
    return { commands: [], resources: [], doubts, rawWords: [] };
  }
  try {
    readSource(analysis, text);
  } catch (error) {
    // A fault of ours, or of the parser, must never look like an empty command.
    addDoubt(
      analysis,
      "syntax",
      `the text could not be read: ${error instanceof Error ? error.message : "unknown"}`,
    );
  }
  doubtFreshScripts(analysis);
  const resources = [...analysis.commands.flatMap((command) => command.resources), ...analysis.loose];
  const rawWords = rawWordsOf(text, false);
  const words = doubts.length > 0 ? rawWords.concat(rawWordsOf(text, true)) : rawWords;
  return { commands: analysis.commands, resources, doubts, rawWords: words };
}

/** Programs that write what they are handed, and no program of their own making. */
const carriers: ReadonlySet<string> = new Set([
  "tee",
  "curl",
  "wget",
  "dd",
  "sponge",
  "base64",
  "xxd",
  "cp",
  "mv",
]);

/** A file that this very text writes, downloads or puts there, and then runs: what runs is in no file yet. */
function doubtFreshScripts(analysis: Analysis): void {
  const written = new Set<string>();
  analysis.commands.forEach((command, index) => {
    for (const { action, kind, value, base } of command.resources) {
      if (kind !== "path" || value === undefined) continue;
      const path = joinPath(base, value) ?? value;
      if (action === "execute" && written.has(path))
        addDoubt(analysis, "opaque", `${value} is written by this line before it runs`, index);
      const carries =
        command.redirections.some(({ target }) => target.value === value) ||
        carriers.has(command.program ?? "");
      if (action === "write" && carries) written.add(path);
    }
  });
}

function readSource(analysis: Analysis, text: string): void {
  const { options, limits } = analysis;
  const shell = (options.shell ?? "bash").replace(/^.*[\\/]/, "").replace(/\.exe$/i, "");
  const grammar = shells.get(shell);
  if (text.includes("\0")) addDoubt(analysis, "invalid-input", "the text has a NUL character");
  if (text.includes("\r")) {
    addDoubt(analysis, "syntax", "a carriage return is part of a word for bash and ends a line for others");
  }
  if (grammar === undefined) {
    addDoubt(analysis, "unknown-shell", `${shell} is a shell that is not read here`);
    return;
  }
  if (grammar === "near")
    addDoubt(analysis, "unknown-shell", `${shell} may read this text in another way than bash`);
  if (isStrictPosix(analysis) && bashOnly.test(text)) {
    addDoubt(analysis, "unknown-shell", `${shell} may read this bash syntax in another way`);
  }
  let readable = text;
  if (text.length > limits.maxChars) {
    addDoubt(analysis, "limit", `the text is longer than ${limits.maxChars} characters`);
    readable = text.slice(0, limits.maxChars);
  }
  const scope: Scope = {
    wrappers: [],
    redirections: [],
    redirected: [],
    input: { kind: "inherited" },
    pipeline: alone,
    text: readable,
    depth: 0,
    variables: new Map(),
    steady: true,
  };
  readAll(analysis, readable, scope, [options.cwd ?? "."]);
}

/** bash ends a descriptor at the `-` of `>&-`, so that in `>&-rm x` the next word is `rm`; the parser does not. */
const gluedToClose = /([<>]&-)(?=[^\s;&|()<>])/g;

function readAll(analysis: Analysis, text: string, scope: Scope, folders: Folders): Outcome {
  const outcome = readScript(analysis, parse(text), { ...scope, text }, folders);
  if (!/[<>]&-[^\s;&|()<>]/.test(text)) return outcome;
  addDoubt(analysis, "syntax", "a word right after a closed descriptor");
  const apart = text.replace(gluedToClose, "$1 ");
  return readScript(analysis, parse(apart), { ...scope, text: apart }, folders);
}

function runText(analysis: Analysis, text: string, scope: Scope, folders: Folders): Outcome {
  if (scope.depth > analysis.limits.maxDepth) {
    addDoubt(analysis, "limit", `commands are nested more than ${analysis.limits.maxDepth} deep`);
    return { ok: folders, fail: folders };
  }
  if (text.length > analysis.charsLeft) {
    analysis.stopped = true;
    addDoubt(analysis, "limit", "scripts in scripts make too much text");
    return { ok: folders, fail: folders };
  }
  analysis.charsLeft -= text.length;
  // Another shell: it sees none of the variables that are only set in this one.
  return readAll(analysis, text, { ...scope, variables: new Map(), steady: true }, folders);
}
