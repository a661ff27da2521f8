import {
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type Word as ParsedWord,
  type WordPart,
} from "unbash";

import { addDoubt, homeOf, type Analysis, type Folders, type Scope } from "./analysis.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { isDangerousVariable } from "./environment.ts";
import { printedText } from "./piped-text.ts";
import type { ShellWord } from "./shell-word.ts";

/** Braces make at most this many words of one; more are told as one unknown word. */
const maxBraceWords = 64;

/** What reading a word needs; `runScript` reads the script of a substitution. */
export interface WordReader {
  readonly analysis: Analysis;
  readonly scope: Scope;
  readonly folders: Folders;
  /** In `[[ ]]` a pattern is only compared. */
  readonly pattern?: boolean;
  readonly runScript: (node: SyntaxNode, scope: Scope, folders: Folders) => void;
}

interface Draft {
  value: string | undefined;
  prefix: string;
  parts: string[];
  glob: boolean;
  splits: boolean;
  pipe: boolean;
  numeric: boolean;
  listed: boolean;
}

/** The words that one written word becomes; more than one only through braces. Substitutions are analysed. */
export function readWord(reader: WordReader, word: ParsedWord): readonly ShellWord[] {
  const parts = word.parts;
  if (parts === undefined) {
    const tilde = readTilde(reader.analysis, word.text, word.value);
    if (tilde !== undefined) return [tilde];
    return [{ raw: word.text, value: word.value, prefix: word.value }];
  }
  const split = splitVariable(reader, word);
  if (split !== undefined) return split;
  let drafts: Draft[] = [
    {
      value: "",
      prefix: "",
      parts: [],
      glob: false,
      splits: false,
      pipe: false,
      numeric: false,
      listed: false,
    },
  ];
  for (const part of parts) drafts = readPart(reader, part, drafts, false);
  return drafts.map((draft) => finish(reader.analysis, word, draft));
}

/** `$x` alone and without quotes: the shell splits a known value at its blanks. */
function splitVariable(reader: WordReader, { text, parts }: ParsedWord): readonly ShellWord[] | undefined {
  const [only, ...others] = parts ?? [];
  if (others.length > 0 || reader.pattern === true || reader.analysis.variablesLost) return undefined;
  const name = only?.type === "SimpleExpansion" ? text.slice(1) : /^\$\{(\w+)\}$/.exec(text)?.[1];
  const value = name === undefined ? undefined : reader.scope.variables.get(name);
  if (value?.value === undefined || value.listed === true || !/^[\w@%+=:,./ \t-]+$/.test(value.value))
    return undefined;
  const pieces = value.value.split(/[ \t]+/).filter((piece) => piece !== "");
  return pieces.length < 2 ? undefined : pieces.map((piece) => ({ raw: piece, value: piece, prefix: piece }));
}

function finish(analysis: Analysis, parsed: ParsedWord, draft: Draft): ShellWord {
  const raw = parsed.text;
  const single = parsed.parts?.length === 1;
  if (raw.startsWith("~") && draft.value !== undefined) {
    const tilde = readTilde(analysis, raw, draft.value);
    if (tilde !== undefined) return draft.glob ? { ...tilde, glob: true } : tilde;
  }
  const word: { -readonly [K in keyof ShellWord]: ShellWord[K] } = {
    raw,
    value: draft.value,
    prefix: draft.prefix,
  };
  if (draft.glob) word.glob = true;
  if (draft.value === undefined) {
    const literal = draft.parts.filter((part) => part !== "");
    if (literal.length > 0) word.parts = literal;
    word.guess = parsed.value;
    if (draft.splits) word.splits = true;
    if (draft.pipe && single) word.pipe = true;
    const only = parsed.parts?.[0];
    const prints = single && only?.type === "ProcessSubstitution" ? printedText(only.script) : undefined;
    if (prints !== undefined) word.prints = prints;
    if (draft.numeric && !draft.prefix.startsWith("-")) word.numeric = true;
    if (draft.listed && single) word.listed = true;
  }
  return word;
}

/** `~` and `~/x` become the home folder; `~name`, `~+` and `~-` are not known. */
function readTilde(analysis: Analysis, raw: string, value: string): ShellWord | undefined {
  if (!raw.startsWith("~")) return undefined;
  if (value === "~" || value.startsWith("~/")) {
    const home = homeOf(analysis);
    if (home !== undefined) {
      const full = home.replace(/\/+$/, "") + value.slice(1);
      return { raw, value: full, prefix: full };
    }
    return analysis.homeChanged
      ? { raw, value: undefined, prefix: "/", parts: [value.slice(1)] }
      : { raw, value, prefix: value, tilde: true };
  }
  if (/^~[A-Za-z0-9_.+-]*(\/|$)/.test(value)) {
    const slash = value.indexOf("/");
    return slash === -1
      ? { raw, value: undefined, prefix: "/" }
      : { raw, value: undefined, prefix: "/", parts: [value.slice(slash)] };
  }
  return undefined;
}

function append(drafts: Draft[], text: string): Draft[] {
  for (const draft of drafts) {
    if (draft.value === undefined) {
      const last = draft.parts.length - 1;
      draft.parts[last] = (draft.parts[last] ?? "") + text;
    } else {
      draft.value += text;
      draft.prefix += text;
    }
  }
  return drafts;
}

type Marks = Partial<Pick<Draft, "splits" | "pipe" | "numeric" | "listed">>;

function makeDynamic(drafts: Draft[], marks: Marks): Draft[] {
  for (const draft of drafts) {
    draft.numeric = marks.numeric === true && (draft.value !== undefined || draft.numeric);
    if (draft.value !== undefined) draft.parts.push(draft.value);
    draft.value = undefined;
    draft.parts.push("");
    draft.splits ||= marks.splits === true;
    draft.pipe ||= marks.pipe === true;
    draft.listed ||= marks.listed === true;
  }
  return drafts;
}

function readPart(reader: WordReader, part: WordPart, drafts: Draft[], quoted: boolean): Draft[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return append(drafts, part.value);
    case "DoubleQuoted":
    case "LocaleString": {
      let inner = drafts;
      for (const child of part.parts) inner = readPart(reader, child, inner, true);
      return inner;
    }
    case "Glob":
      for (const draft of drafts) draft.glob = true;
      visitNested(reader, part);
      return append(drafts, part.value);
    case "ExtendedGlob":
      for (const draft of drafts) draft.glob = true;
      visitNested(reader, part);
      // Whether it is a pattern depends on a shell option that the text does not show.
      if (reader.pattern !== true) {
        addDoubt(reader.analysis, "dynamic-word", "an extended pattern depends on the shell's options");
      }
      return append(drafts, part.text);
    case "BraceExpansion": {
      const words = part.parts === undefined ? expandBraces(part.text) : undefined;
      visitNested(reader, part);
      const count = (words?.length ?? 0) * drafts.length;
      const multiplies = count <= maxBraceWords && count <= reader.analysis.braceWordsLeft;
      if (words === undefined || !multiplies || drafts.some((draft) => draft.value === undefined)) {
        // Too many, or not known: one word that may be anything.
        const one = drafts.slice(0, 1);
        for (const draft of one) draft.prefix = "";
        return makeDynamic(one, { splits: true });
      }
      reader.analysis.braceWordsLeft -= count;
      return drafts.flatMap((draft) =>
        words.flatMap((text) => append([{ ...draft, parts: [...draft.parts] }], text)),
      );
    }
    case "SimpleExpansion":
    case "ParameterExpansion": {
      const plain = part.type === "SimpleExpansion" || part.text === `\${${part.parameter}}`;
      const name = part.type === "SimpleExpansion" ? part.text.slice(1) : part.parameter;
      if (part.type === "ParameterExpansion") checkParameter(reader, part);
      visitNested(reader, part);
      const known = plain ? knownVariable(reader, name) : undefined;
      if (known !== undefined) return append(drafts, known);
      const value = plain && !reader.analysis.variablesLost ? reader.scope.variables.get(name) : undefined;
      // A listed name may hold blanks, at which an unquoted one is split.
      const whole = value?.listed !== true && /^[\w@%+=:,./*?-]+$/.test(value?.value ?? "");
      if (value?.value !== undefined && (quoted || whole)) {
        if (value.glob === true) for (const draft of drafts) draft.glob = true;
        return append(drafts, value.value);
      }
      const numeric = (plain && /^[?#$!]$/.test(name)) || part.text.startsWith("${#");
      const many = name === "@" || name === "*" || /\[[@*]\]/.test(part.text);
      const listed = plain && value?.listed === true;
      return makeDynamic(drafts, { splits: many || (!quoted && !numeric), numeric, listed });
    }
    case "ArithmeticExpansion":
      visitNested(reader, part);
      checkArithmetic(reader.analysis, part.text.replace(/^\$(\(\(|\[)|(\)\)|\])$/g, ""), reader.scope.text);
      return makeDynamic(drafts, { numeric: true });
    case "CommandExpansion":
      visitNested(reader, part);
      if (printsOneWord(part.script, quoted)) return makeDynamic(drafts, { numeric: true });
      return makeDynamic(drafts, { splits: !quoted });
    case "ProcessSubstitution":
      visitNested(reader, part);
      return makeDynamic(drafts, { pipe: true });
  }
}

function knownVariable(reader: WordReader, name: string): string | undefined {
  if (name === "HOME") return homeOf(reader.analysis);
  if (name === "PWD" && reader.folders.length === 1) {
    const folder = reader.folders[0];
    return folder?.startsWith("/") === true ? folder : undefined;
  }
  return undefined;
}

function checkParameter(reader: WordReader, part: Extract<WordPart, { type: "ParameterExpansion" }>): void {
  const { analysis } = reader;
  if (part.text.startsWith("${!") && !/^\$\{![A-Za-z0-9_]+(\[[@*]\]|[@*])\}$/.test(part.text)) {
    addDoubt(analysis, "evaluates-argument", `${part.text} evaluates what the variable holds`);
  }
  const operation = part.operation;
  if (operation?.type === "Default" && operation.operator.endsWith("=")) {
    if (part.parameter === "HOME") analysis.homeChanged = true;
    if (isDangerousVariable(part.parameter)) {
      addDoubt(analysis, "environment", `${part.parameter} is set, which can change what runs`);
    }
  }
  if (operation?.type === "Transform" && !/^[QULuKAak]$/.test(operation.operand.value)) {
    addDoubt(analysis, "evaluates-argument", `${part.text} expands what the variable holds`);
  }
  if (operation?.type === "Slice") {
    checkArithmetic(analysis, operation.offset.value, reader.scope.text);
    if (operation.length !== undefined) checkArithmetic(analysis, operation.length.value, reader.scope.text);
  }
  if (part.index !== undefined && !/^[@*]$/.test(part.index.value)) {
    checkArithmetic(analysis, part.index.value, reader.scope.text);
  }
}

/**
 * Commands of a substitution that print one word which is never an option: a hash, a number, a name, or in quotes an
 * absolute path. What is not in the words is not looked at, so that nothing else can be printed.
 */
const oneWord =
  /^(git (rev-parse( --short(=\d+)?| --verify| -q| --abbrev-ref)*( [A-Za-z@][\w./@~^{}-]*)|branch --show-current|merge-base( [A-Za-z@][\w./@~^-]*){2}|rev-list --count [A-Za-z@][\w./@~^-]*|log -1 --(format|pretty)=%[hHtT]( [A-Za-z@][\w./@~^-]*)?)|nproc|id -[ug]n?|whoami|uname( -[smr])?|date \+[%\w:.-]*|wc -l < [\w./-]+)$/;
const oneQuoted =
  /^(pwd( -P)?|git rev-parse --(show-toplevel|absolute-git-dir|git-common-dir)|mktemp( -d)?|npm root)$/;

function printsOneWord(script: ParsedScript | undefined, quoted: boolean): boolean {
  const [only, ...others] = script?.commands ?? [];
  if (script === undefined || only?.command.type !== "Command" || others.length > 0) return false;
  const { prefix, name, suffix, redirects } = only.command;
  if (prefix.length > 0 || redirects.some(({ operator }) => operator !== "<")) return false;
  const all = [name, ...suffix, ...redirects.map((one) => ("target" in one ? one.target : undefined))];
  const texts = all.map((word) =>
    word?.type === "Word" && word.parts === undefined ? word.text : undefined,
  );
  if (texts.includes(undefined)) return false;
  const line = redirects.length > 0 ? [...texts.slice(0, -1), "<", texts.at(-1)].join(" ") : texts.join(" ");
  return oneWord.test(line) || (quoted && oneQuoted.test(line));
}

/** Analyses the scripts of all substitutions below a node. */
export function visitNested(reader: WordReader, node: SyntaxNode): void {
  if (
    node.type === "CommandExpansion" ||
    node.type === "ProcessSubstitution" ||
    node.type === "ArithmeticCommandExpansion"
  ) {
    if (node.type === "CommandExpansion" && node.text.startsWith("${")) {
      // Shells before bash 5.3 do not have it, and the parser does not see where it should have ended.
      addDoubt(reader.analysis, "syntax", "${ command; } is not the same in every shell");
    }
    // What is written into `>( )` arrives there on standard input.
    const fed = node.type === "ProcessSubstitution" && node.operator === ">";
    const scope: Scope = fed ? { ...reader.scope, input: { kind: "pipe" } } : reader.scope;
    if (node.script !== undefined) reader.runScript(node.script, scope, reader.folders);
    else addDoubt(reader.analysis, "syntax", "a substitution could not be read");
    return;
  }
  forEachChild(node, (child) => visitNested(reader, child));
}

/** The alternatives of one brace expansion without quotes or expansions inside; `undefined` when not known. */
function expandBraces(text: string): readonly string[] | undefined {
  const range = /^\{(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])\}$/.exec(text);
  if (range !== null) return expandRange(range[1] ?? "", range[2] ?? "");
  if (/["'$`\\]/.test(text)) return undefined;
  const inner = text.slice(1, -1);
  const items: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === "{") depth++;
    else if (inner[at] === "}") depth--;
    else if (inner[at] === "," && depth === 0) {
      items.push(inner.slice(start, at));
      start = at + 1;
    }
  }
  items.push(inner.slice(start));
  if (items.some((item) => item.includes("{") || item.includes("}"))) return undefined;
  return items.length > maxBraceWords ? undefined : items;
}

function expandRange(from: string, to: string): readonly string[] | undefined {
  const letters = /^[A-Za-z]$/.test(from) && /^[A-Za-z]$/.test(to);
  if (!letters && (/^[A-Za-z]$/.test(from) || /^[A-Za-z]$/.test(to) || /^-?0\d|^-?0\d/.test(from + to)))
    return undefined;
  const start = letters ? from.charCodeAt(0) : Number(from);
  const end = letters ? to.charCodeAt(0) : Number(to);
  if (Math.abs(end - start) >= maxBraceWords) return undefined;
  const step = start <= end ? 1 : -1;
  const items: string[] = [];
  for (let at = start; step > 0 ? at <= end : at >= end; at += step) {
    items.push(letters ? String.fromCharCode(at) : String(at));
  }
  return items;
}
