import type { OwnNames } from "./own-names.ts";
import { type ToolAliases, toolAliases } from "./tool-aliases.ts";
import type { Token } from "./tokens.ts";

/** Places of a script that belong to calls of tools. */
export interface CallPlaces {
  /**
   * Whether what stands at a token is an argument of a tool, and not of another function or part of a function's body
   * that stands among the arguments: those are the script's own affair.
   */
  isArgument(index: number): boolean;
  /** Whether a token is the name by which a tool is called. */
  isCallee(index: number): boolean;
}

type Scope = "tool" | "other" | "data";

/** Words that stand before a parenthesis without calling anything. */
const NO_CALL: ReadonlySet<string> = new Set(
  "return await typeof void delete in of instanceof new throw yield case if for while switch catch with else do default extends".split(
    " ",
  ),
);

/**
 * Reads where a script calls tools from its tokens: `tools.name(…)`, `tools["name"](…)`, `ctx.executeTool("name", …)`, and
 * names that it gave to `tools` or to tools itself.
 */
export function callPlaces(tokens: readonly Token[], names: OwnNames): CallPlaces {
  const aliases = toolAliases(tokens);
  const scopes: Scope[] = [];
  const arguments_ = new Set<number>();
  const callees = new Set<number>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "other" && (token.text === ")" || token.text === "]" || token.text === "}"))
      scopes.pop();
    // A closing bracket belongs to what is around it, an opening one too.
    if (scopes.findLast((scope) => scope !== "data") === "tool") arguments_.add(index);
    if (token.kind !== "other") continue;
    if (token.text === "(") {
      const callee = calledTool(tokens, index, names, aliases);
      if (callee !== undefined) callees.add(callee);
      scopes.push(callee !== undefined ? "tool" : calls(tokens, index) ? "other" : "data");
    } else if (token.text === "{") scopes.push(opensBlock(tokens, index) ? "other" : "data");
    else if (token.text === "[" || token.text === "${") scopes.push("data");
  }
  return {
    isArgument: (index) => arguments_.has(index),
    isCallee: (index) => callees.has(index),
  };
}

/** The name's index when the parenthesis calls a tool. */
function calledTool(
  tokens: readonly Token[],
  open: number,
  names: OwnNames,
  aliases: ToolAliases,
): number | undefined {
  const text = (index: number): string | undefined => tokens[index]?.text;
  const isFree = (index: number): boolean => !/^\??\.$/.test(text(index - 1) ?? "");
  let at = open - 1;
  if (text(at) === "?.") at--;
  if (tokens[at]?.kind === "name" && isFree(at) && aliases.functions.has(text(at) ?? "")) return at;
  if (text(at) === "executeTool" && text(at - 1) === "." && text(at - 2) === "ctx" && isFree(at - 2))
    return isLiteral(tokens, open + 1, names) ? at : undefined;
  const isComputed = text(at) === "]" && text(at - 2) === "[" && isLiteral(tokens, at - 1, names);
  const name = isComputed ? at - 1 : at;
  at = isComputed ? at - 3 : at - 1;
  if (!isComputed && (tokens[name]?.kind !== "name" || (text(at) !== "." && text(at) !== "?.")))
    return undefined;
  if (text(at) === "." || text(at) === "?.") at--;
  if (tokens[at]?.kind !== "name" || !isFree(at)) return undefined;
  return text(at) === "tools" || aliases.tools.has(text(at) ?? "") ? name : undefined;
}

/** A text, or a variable that holds one and is never assigned again. */
function isLiteral(tokens: readonly Token[], index: number, names: OwnNames): boolean {
  const token = tokens[index];
  if (token?.kind === "string") return true;
  if (token?.kind !== "name" || names.isChanged(token.text)) return false;
  const initial = names.initialValue(token.text);
  return (
    initial !== undefined &&
    tokens[initial]?.kind === "string" &&
    /^[;,]$|^(?:const|let|var|return|await|try|for|if)$/.test(tokens[initial + 1]?.text ?? ";")
  );
}

function calls(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1];
  if (before === undefined || before.kind === "string") return false;
  if (before.kind !== "name") return /^(?:[)\]}`>]|\?\.)$/.test(before.text);
  const isMember = /^\??\.$/.test(tokens[open - 2]?.text ?? "");
  return isMember || !NO_CALL.has(before.text);
}

/** A function's body or a block: behind a parameter list, an arrow, a statement, or a word that is no operator. */
function opensBlock(tokens: readonly Token[], open: number): boolean {
  const before = tokens[open - 1];
  if (before === undefined) return true;
  if (before.kind === "name")
    return !NO_CALL.has(before.text) || before.text === "else" || before.text === "do";
  return /^(?:[)};]|=>)$/.test(before.text);
}
