import type { Command as ParsedCommand } from "unbash";

import { addDoubt, type Outcome, type Scope } from "./analysis.ts";
import { checkArithmetic } from "./arithmetic.ts";
import { assign, namesCommand } from "./environment.ts";
import { readRedirections } from "./redirections.ts";
import { literalWord, mayBeOption, type ShellWord } from "./shell-word.ts";
import { readWord, visitNested, type WordReader } from "./words.ts";

/** A glob is looked at where it stands, unless the line may have made a name before that it could match. */
function seenNames({ analysis, folders }: WordReader, word: ShellWord): ShellWord {
  if (word.glob !== true || !mayBeOption(word)) return word;
  const [folder, ...others] = folders;
  if (folder === undefined || others.length > 0 || !analysis.commands.every(({ readOnly }) => readOnly))
    return word;
  const names = analysis.options.namesIn?.(folder);
  return names === undefined || names.some((name) => name.startsWith("-"))
    ? word
    : { ...word, noOption: true };
}

/** A bracket behind the name that defines no function: bash refuses the line, and the parser drops the bracket. */
const strayBracket = /^(?:[ \t]|\\\n)*\(/;

/** Reads a simple command: its assignments, words and redirections, and then what they run. */
export function readSimple(reader: WordReader, node: ParsedCommand): Outcome {
  const { analysis, scope, folders } = reader;
  const stay: Outcome = { ok: folders, fail: folders };
  const env: { readonly name: string; readonly value: ShellWord }[] = [];
  for (const item of node.prefix) {
    if (item.type !== "Assignment") continue;
    if (item.index !== undefined) {
      visitNested(reader, item.index);
      checkArithmetic(analysis, item.index.value, scope.text);
    }
    const values =
      item.value.type === "ArrayValue"
        ? item.value.elements.flatMap((element) => readWord(reader, element))
        : readWord(reader, item.value);
    const only = values[0];
    const value =
      values.length === 1 && only !== undefined ? only : { raw: item.text, value: undefined, prefix: "" };
    env.push({ name: item.name, value });
  }
  const words: ShellWord[] = node.name === undefined ? [] : [...readWord(reader, node.name)];
  if (node.name !== undefined && strayBracket.test(scope.text.slice(node.name.end)))
    addDoubt(analysis, "syntax", "a bracket where none can stand");
  for (const item of node.suffix) {
    if (item.type === "Word") words.push(...readWord(reader, item).map((word) => seenNames(reader, word)));
    else if (item.type === "Assignment") words.push(...readAssignmentWord(reader, item));
  }
  const read = readRedirections(reader, node.redirects);
  const inner: Scope =
    node.redirects.length === 0
      ? scope
      : {
          ...scope,
          redirections: [...read.redirections, ...scope.redirections],
          redirected: [...read.resources, ...scope.redirected],
          input: read.input ?? scope.input,
        };
  const source = scope.text.slice(node.pos, node.end);
  if (words.length === 0) {
    for (const one of env) {
      assign(analysis, one.name, "shell");
      const line = namesCommand(one.name) ? (one.value.value ?? one.value.guess) : undefined;
      if (line === undefined) continue;
      analysis.runText(
        line,
        { ...scope, wrappers: [...scope.wrappers, one.name], depth: scope.depth + 1 },
        folders,
      );
    }
    // The names that a list takes from outside the project are read, whatever is done with them.
    const lists = node.prefix.flatMap((item) =>
      item.type === "Assignment" && item.value.type === "ArrayValue" ? item.value.elements : [],
    );
    const outside = lists
      .flatMap((element) => readWord(reader, element))
      .filter(({ glob, value }) => glob === true && /^[/~]|(^|\/)\.\.(\/|$)/.test(value ?? ""));
    if (outside.length > 0)
      return analysis.runWords([literalWord(":"), ...outside], inner, folders, { source });
    // A redirection alone opens its file as `:` would.
    if (read.redirections.length > 0)
      return analysis.runWords([literalWord(":")], inner, folders, { source });
    return stay;
  }
  return analysis.runWords(words, inner, folders, { env, source });
}

/** `export NAME=value`, `alias x=y`: the argument of a builtin that assigns. */
function readAssignmentWord(
  reader: WordReader,
  item: Extract<ParsedCommand["suffix"][number], { type: "Assignment" }>,
): readonly ShellWord[] {
  if (item.index !== undefined) {
    visitNested(reader, item.index);
    checkArithmetic(reader.analysis, item.index.value, reader.scope.text);
  }
  if (item.value.type === "ArrayValue") {
    for (const element of item.value.elements) readWord(reader, element);
    return [{ raw: item.text, value: undefined, prefix: `${item.name}=` }];
  }
  const head = item.text.slice(0, item.text.length - item.value.text.length);
  return readWord(reader, item.value).map((word) => ({
    ...word,
    raw: item.text,
    value: word.value === undefined ? undefined : head + word.value,
    prefix: head + word.prefix,
    ...(word.parts === undefined ? {} : { parts: [head, ...word.parts] }),
  }));
}
