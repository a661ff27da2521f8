import type { PipelineNode, Statement, Word as ParsedWord, WordPart } from "unbash";

import type { Scope } from "./analysis.ts";
import { isDangerousVariable } from "./environment.ts";
import type { ShellWord } from "./shell-word.ts";
import { readWord, type WordReader } from "./words.ts";

/**
 * Variables whose value is plain from the text: set once, to words that are known, and never touched in another way.
 * Only assignments that surely run before what follows count; everything else stays unknown.
 */

/** Looking a name up costs a pass over the text, so long texts go without. */
const maxText = 8_192;

/** The scope after a statement of a list that runs once, from its start to its end, in one shell. */
export function withAssignments(reader: WordReader, statement: Statement, scope: Scope): Scope {
  if (!scope.steady || statement.background === true || scope.text.length > maxText) return scope;
  const node = statement.command;
  const first: PipelineNode | undefined = node.type === "AndOr" ? node.commands[0] : node;
  if (first?.type !== "Command") return scope;
  const exported = first.name?.text === "export" && first.prefix.length === 0;
  if (first.name !== undefined && !exported) return scope;
  const variables = new Map(scope.variables);
  for (const item of exported ? first.suffix : first.prefix) {
    if (item.type !== "Assignment" || item.append === true || item.index !== undefined) continue;
    if (item.value.type !== "Word" || !isPlain(item.value)) continue;
    const words = readWord(reader, item.value);
    const value = words[0];
    if (words.length !== 1 || value?.value === undefined || value.glob === true) continue;
    if (isSteady(scope.text, item.name)) variables.set(item.name, value);
  }
  return variables.size === scope.variables.size ? scope : { ...scope, variables };
}

/** The scopes of a `for` body, one for each value; `undefined` when the values are not all known. */
export function loopScopes(
  scope: Scope,
  name: string,
  values: readonly ShellWord[],
  maxRuns: number,
): readonly Scope[] | undefined {
  if (values.length === 0 || values.length > maxRuns || scope.text.length > maxText) return undefined;
  if (values.some((value) => value.value === undefined) || !isSteady(scope.text, name)) return undefined;
  return values.map((value) => ({ ...scope, variables: new Map([...scope.variables, [name, value]]) }));
}

/** Every mention of the name but one, its definition, only reads it. */
function isSteady(text: string, name: string): boolean {
  if (isDangerousVariable(name) || !/^[A-Za-z_]\w*$/.test(name)) return false;
  const reads = new RegExp(`\\$${name}\\b|\\$\\{${name}(\\}|[%#/^,]|:-)`, "g");
  const mentions = text.replace(reads, " ").match(new RegExp(`(?<![\\w.])${name}(?!\\w)`, "g"));
  return mentions?.length === 1;
}

/** Nothing in the word runs anything, and nothing of it splits. */
function isPlain(word: ParsedWord): boolean {
  return (word.parts ?? []).every(isPlainPart);
}

function isPlainPart(part: WordPart): boolean {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
    case "SimpleExpansion":
      return true;
    case "DoubleQuoted":
      return part.parts.every(isPlainPart);
    case "ParameterExpansion":
      return part.text === `\${${part.parameter}}`;
    default:
      return false;
  }
}
