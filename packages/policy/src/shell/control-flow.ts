import type {
  AndOr,
  CommandNode,
  CompoundCommand,
  CompoundList,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirection as ParsedRedirection,
  Statement,
  SyntaxNode,
} from "unbash";

import {
  addDoubt,
  isStrictPosix,
  pastLimit,
  type Analysis,
  type Folders,
  type Outcome,
  type Scope,
} from "./analysis.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { checkName } from "./environment.ts";
import { sameFolders, unite } from "./folders.ts";
import { listingOf, type Listing } from "./listing.ts";
import { pipedText } from "./piped-text.ts";
import { readRedirections } from "./redirections.ts";
import { literalWord, type ShellWord } from "./shell-word.ts";
import { readSimple } from "./simple-command.ts";
import { readTest } from "./test-expression.ts";
import { loopScopes, withAssignments } from "./variables.ts";
import { readWord, visitNested, type WordReader } from "./words.ts";

/** Reads a parsed script: every command in it becomes facts, in the order in which it would run. */
export function readScript(
  analysis: Analysis,
  script: ParsedScript,
  scope: Scope,
  folders: Folders,
): Outcome {
  const inner = script.source === undefined ? scope : { ...scope, text: script.source };
  for (const error of script.errors ?? []) addDoubt(analysis, "syntax", error.message);
  return readList(analysis, script.commands, inner, folders);
}

function readerOf(analysis: Analysis, scope: Scope, folders: Folders): WordReader {
  return {
    analysis,
    scope,
    folders,
    runScript: (node: SyntaxNode, outer: Scope, at: Folders) => {
      if (node.type !== "Script" || pastLimit(analysis, outer.depth + 1)) return;
      const scope = {
        ...outer,
        depth: outer.depth + 1,
        pipeline: alone,
        redirections: [],
        redirected: [],
        steady: false,
      };
      readScript(analysis, node, scope, at);
    },
  };
}

export const alone = { index: 0, length: 1 } as const;

function readList(analysis: Analysis, list: readonly Statement[], outer: Scope, folders: Folders): Outcome {
  let state: Outcome = { ok: folders, fail: folders };
  let at = folders;
  let scope = outer;
  for (const statement of list) {
    if (analysis.stopped) break;
    if (scope.steady) scope = withAssignments(readerOf(analysis, scope, at), statement, scope);
    const outcome = readNode(analysis, statement.command, scope, at);
    // In the background it runs in a shell of its own.
    state = statement.background === true ? { ok: at, fail: at } : outcome;
    const next = unite(state.ok, state.fail);
    // After `exit` the rest is not reached; it is read all the same, from where it would have run.
    if (next.length > 0) at = next;
  }
  return state;
}

function readNode(analysis: Analysis, node: PipelineNode | AndOr, scope: Scope, folders: Folders): Outcome {
  if (node.type === "AndOr") return readAndOr(analysis, node, scope, folders);
  if (node.type === "Pipeline") return readPipeline(analysis, node, scope, folders);
  return readCommandNode(analysis, node, scope, folders);
}

function readAndOr(analysis: Analysis, node: AndOr, scope: Scope, folders: Folders): Outcome {
  let state: Outcome = { ok: folders, fail: folders };
  let first = true;
  node.commands.forEach((command, index) => {
    const operator = first ? "&&" : node.operators[index - 1];
    first = false;
    const start = operator === "||" ? state.fail : state.ok;
    const outcome = readNode(analysis, command, scope, start.length > 0 ? start : folders);
    if (index === 0) state = outcome;
    else if (operator === "||") state = { ok: unite(state.ok, outcome.ok), fail: outcome.fail };
    else state = { ok: outcome.ok, fail: unite(state.fail, outcome.fail) };
  });
  return state;
}

function readPipeline(analysis: Analysis, node: Pipeline, scope: Scope, folders: Folders): Outcome {
  const length = node.commands.length;
  let outcome: Outcome = { ok: folders, fail: folders };
  let listing: Listing | undefined;
  node.commands.forEach((command, index) => {
    const before = analysis.commands.length;
    const inner: Scope =
      length === 1
        ? scope
        : {
            ...scope,
            steady: false,
            pipeline: { index, length },
            input:
              index === 0
                ? scope.input
                : listing === undefined
                  ? pipedText(node.commands[index - 1])
                  : { kind: "names", listing },
          };
    outcome = readCommandNode(analysis, command, inner, folders);
    const [fact, ...others] = analysis.commands.slice(before);
    const simple = command.type === "Command" && fact !== undefined && others.length === 0;
    listing = simple && (index === 0 || listing !== undefined) ? listingOf(fact, listing) : undefined;
  });
  // Each part of a real pipeline has a shell of its own; some shells run the last one themselves.
  if (length > 1) return { ok: unite(folders, outcome.ok), fail: unite(folders, outcome.fail) };
  const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
  return negated ? { ok: outcome.fail, fail: outcome.ok } : outcome;
}

function readCommandNode(analysis: Analysis, node: CommandNode, scope: Scope, folders: Folders): Outcome {
  const stay: Outcome = { ok: folders, fail: folders };
  if (analysis.stopped) return stay;
  switch (node.type) {
    case "Command":
      return readSimple(readerOf(analysis, scope, folders), node);
    case "Redirected":
      return readRedirected(analysis, node.command, node.redirects, scope, folders);
    case "Function": {
      const message = `${node.name.value} is defined here, which changes what the name means`;
      addDoubt(analysis, "redefinition", message);
      const anywhere = unite(folders, [undefined]);
      const body = readBody(analysis, node.body, { ...scope, steady: false, variables: new Map() }, anywhere);
      if (!sameFolders(unite(body.ok, body.fail), anywhere)) analysis.movers.add(node.name.value);
      return stay;
    }
    case "Coproc":
      if (node.name !== undefined) checkName(analysis, node.name.value);
      readBody(analysis, node.body, { ...scope, input: { kind: "pipe" } }, folders);
      return stay;
    default:
      return readCompound(analysis, node, { ...scope, steady: false }, folders);
  }
}

function readBody(
  analysis: Analysis,
  body: CommandNode | CompoundList,
  scope: Scope,
  folders: Folders,
): Outcome {
  if (body.type === "CompoundList") return readList(analysis, body.commands, scope, folders);
  return readCommandNode(analysis, body, scope, folders);
}

function readRedirected(
  analysis: Analysis,
  command: CompoundCommand,
  redirects: readonly ParsedRedirection[],
  scope: Scope,
  folders: Folders,
): Outcome {
  const read = readRedirections(readerOf(analysis, scope, folders), redirects);
  const before = analysis.commands.length;
  const inner: Scope = {
    ...scope,
    steady: false,
    redirections: [...read.redirections, ...scope.redirections],
    redirected: [...read.resources, ...scope.redirected],
    input: read.input ?? scope.input,
  };
  const outcome = readCompound(analysis, command, inner, folders);
  // Nothing inside could carry the redirection: it still opens its file.
  if (analysis.commands.length === before) analysis.runWords([literalWord(":")], inner, folders);
  return outcome;
}

function readCompound(analysis: Analysis, node: CompoundCommand, scope: Scope, folders: Folders): Outcome {
  const stay: Outcome = { ok: folders, fail: folders };
  switch (node.type) {
    case "BraceGroup":
      return readList(analysis, node.body.commands, scope, folders);
    case "Subshell":
      readList(analysis, node.body.commands, scope, folders);
      return stay;
    case "If": {
      const test = readList(analysis, node.clause.commands, scope, folders);
      const results = [readList(analysis, node.then.commands, scope, orElse(test.ok, folders))];
      let otherwise = test.fail;
      for (const elif of node.elif) {
        const next = readList(analysis, elif.clause.commands, scope, orElse(otherwise, folders));
        results.push(readList(analysis, elif.then.commands, scope, orElse(next.ok, folders)));
        otherwise = next.fail;
      }
      if (node.else === undefined) results.push({ ok: otherwise, fail: otherwise });
      else results.push(readList(analysis, node.else.commands, scope, orElse(otherwise, folders)));
      return both(unite(...results.flatMap((result) => [result.ok, result.fail])));
    }
    case "While":
      return readLoop(analysis, folders, (at) => {
        const test = readList(analysis, node.clause.commands, scope, at);
        let after = unite(test.ok, test.fail);
        for (const inner of namesScopes(
          scope,
          node.clause.commands,
          scope.text.slice(node.pos, node.end),
        ) ?? [scope]) {
          const body = readList(analysis, node.body.commands, inner, orElse(after, at));
          after = unite(after, body.ok, body.fail);
        }
        return after;
      });
    case "For":
    case "Select": {
      const reader = readerOf(analysis, scope, folders);
      const values = (node.wordlist ?? []).flatMap((word) => readWord(reader, word));
      checkName(analysis, node.name.value);
      const runs = loopScopes(scope, node.name.value, values, Math.min(16, analysis.loopRunsLeft));
      if (runs !== undefined) analysis.loopRunsLeft -= runs.length;
      return readLoop(analysis, folders, (at) => {
        let after = at;
        for (const run of runs ?? [scope]) {
          const body = readList(analysis, node.body.commands, run, after);
          after = orElse(unite(body.ok, body.fail), after);
        }
        return after;
      });
    }
    case "ArithmeticFor": {
      const reader = readerOf(analysis, scope, folders);
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) visitNested(reader, part);
      const header = scope.text
        .slice(node.pos, node.body.pos)
        .replace(/^\s*for\s*\(\(|\)\)[\s;]*(do\s*)?$/g, "");
      checkArithmetic(analysis, header.replaceAll(";", ","), scope.text);
      return readLoop(analysis, folders, (at) => {
        const body = readList(analysis, node.body.commands, scope, at);
        return unite(body.ok, body.fail);
      });
    }
    case "Case": {
      const reader = readerOf(analysis, scope, folders);
      readWord(reader, node.word);
      const results: Folders[] = [folders];
      for (const item of node.items) {
        for (const pattern of item.pattern) readWord(reader, pattern);
        const body = readList(analysis, item.body.commands, scope, unite(...results));
        results.push(body.ok, body.fail);
      }
      return both(unite(...results));
    }
    case "TestCommand": {
      const reader = { ...readerOf(analysis, scope, folders), pattern: true };
      const words: ShellWord[] = [literalWord("[[")];
      readTest(reader, node.expression, words);
      words.push(literalWord("]]"));
      analysis.runWords(words, scope, folders, { source: scope.text.slice(node.pos, node.end) });
      return stay;
    }
    case "ArithmeticCommand": {
      if (node.expression !== undefined) visitNested(readerOf(analysis, scope, folders), node.expression);
      checkArithmetic(analysis, node.body, scope.text);
      const words = [literalWord("(("), literalWord(node.body.trim()), literalWord("))")];
      analysis.runWords(words, scope, folders, { source: scope.text.slice(node.pos, node.end) });
      // A POSIX shell without arithmetic commands sees two subshells here.
      if (isStrictPosix(analysis)) {
        analysis.runText(node.body, { ...scope, depth: scope.depth + 1 }, folders);
        addDoubt(analysis, "unknown-shell", "(( )) means something else in a POSIX shell");
      }
      return stay;
    }
  }
}

/**
 * In `… | while read -r f`: the variable is one of the names that the command before lists, or a line of one, unless
 * NUL ends each.
 */
function namesScopes(scope: Scope, clause: readonly Statement[], loop: string): readonly Scope[] | undefined {
  const { input } = scope;
  const [only, ...others] = clause;
  if (input.kind !== "names" || others.length > 0 || only?.command.type !== "Command") return undefined;
  const { name, suffix, prefix, redirects } = only.command;
  if (name?.text !== "read" || redirects.length > 0) return undefined;
  if (
    !prefix.every(
      (item) =>
        item.type === "Assignment" &&
        item.name === "IFS" &&
        item.value.type === "Word" &&
        item.value.text === "",
    )
  )
    return undefined;
  const words = suffix.map((item) => (item.type === "Word" ? item.text : ""));
  const nul = /^-r -d (''|"") \w+$|^-rd (''|"") \w+$|^-d (''|"") -r \w+$/.test(words.join(" "));
  if (!nul && !(words.length === 2 && words[0] === "-r")) return undefined;
  if (nul !== input.listing.nul) return undefined;
  const [word, ...more] = input.listing.words;
  if (word === undefined || more.length > 0) return undefined;
  const variable = words.at(-1) ?? "";
  // The loop is in a shell of its own, so what the text says elsewhere about the name does not matter.
  if (loopScopes({ ...scope, text: loop }, variable, [word], 1) === undefined) return undefined;
  const known = [{ ...scope, variables: new Map([...scope.variables, [variable, word]]) }];
  if (nul) return known;
  const piece: ShellWord = { raw: "…", value: undefined, prefix: "", listed: true };
  return [...known, { ...scope, variables: new Map([...scope.variables, [variable, piece]]) }];
}

/** A body that may run any number of times: read again from all folders it may leave behind. */
function readLoop(analysis: Analysis, folders: Folders, read: (at: Folders) => Folders): Outcome {
  const before = { commands: analysis.commands.length, loose: analysis.loose.length };
  const after = read(folders);
  if (sameFolders(unite(folders, after), folders)) return both(folders);
  if (analysis.stopped) return both([undefined]);
  analysis.commands.length = before.commands;
  analysis.loose.length = before.loose;
  const all = unite(folders, after, [undefined]);
  read(all);
  return both(all);
}

function both(folders: Folders): Outcome {
  return { ok: folders, fail: folders };
}

function orElse(folders: Folders, other: Folders): Folders {
  return folders.length > 0 ? folders : other;
}
