import type { AnyNode, Expression, Program } from "acorn";
import { type ColumnShift, type Edit, freeName, positionAt } from "./edits.ts";
import { asksForValues, callText, isCalledByScript } from "./script-call.ts";
import { hasTopLevelReturn, isFunction } from "./walk.ts";

/** How the result of a script is made to be its value. */
export interface BodyForm {
  readonly edits: readonly Edit[];
  /** Goes in front of the script, on the wrapper's own line. */
  readonly head: string;
  /** Goes behind the script. */
  readonly tail: string;
  /** The value is a trailing expression: it counts only when the script printed nothing. */
  readonly trailing: boolean;
  readonly shifts: readonly ColumnShift[];
  readonly notes: readonly string[];
}

/** A script that is run as it stands. */
export const PLAIN_FORM: BodyForm = { edits: [], head: "", tail: "", trailing: false, shifts: [], notes: [] };

/** Names under which a script's only purpose is usually declared. */
const ENTRY_NAMES: ReadonlySet<string> = new Set(["main", "run", "execute", "script", "handler"]);

/**
 * Finds out what a script that does not return means by its last statement: a trailing expression is its
 * value, a function that nothing calls is the script itself.
 */
export function readBodyForm(source: string, program: Program): BodyForm {
  if (hasTopLevelReturn(program)) return PLAIN_FORM;
  const last = program.body.at(-1);
  if (last === undefined) return PLAIN_FORM;
  if (last.type === "ExpressionStatement") {
    if (!isResult(last.expression) || last.directive === "use strict") return PLAIN_FORM;
    return resultForm(source, last.expression, last.start, last.end, program.body.at(-2)?.end);
  }
  const entry = entryFunction(program);
  if (entry === undefined) return PLAIN_FORM;
  return {
    ...PLAIN_FORM,
    tail: `;return ${entry.name}${callText(entry.fn)}`,
    notes: [`The script only declares functions; ${entry.name}() was called`],
  };
}

/** The form of a text that is one expression but no statement, such as an object or an anonymous function. */
export function expressionForm(source: string, expression: Expression): BodyForm {
  return resultForm(source, expression, expression.start, expression.end, undefined);
}

function resultForm(
  source: string,
  value: Expression,
  start: number,
  end: number,
  previousEnd?: number,
): BodyForm {
  const close = source[end - 1] === ";" ? end - 1 : end;
  const { open, shut, ...rest } = isFunction(value) ? calledForm(value) : valueForm(source, value, start);
  const edits: Edit[] = shut === "" ? [] : [{ start: close, end: close, text: shut }];
  const form = { ...PLAIN_FORM, ...rest };
  if (previousEnd === undefined) return { ...form, head: open, edits };
  const text = `;${open}`;
  if (/[\n\r\u2028\u2029]/.test(source.slice(previousEnd, start))) {
    // Behind the previous statement, on its line: nothing that can throw moves.
    return { ...form, edits: [{ start: previousEnd, end: previousEnd, text }, ...edits] };
  }
  const { line, column } = positionAt(source, start);
  return {
    ...form,
    edits: [{ start, end: start, text }, ...edits],
    shifts: [{ line, column: column + text.length, by: text.length }],
  };
}

function calledForm(fn: AnyNode) {
  const notes = ["The script is a function that nothing calls; it was called"];
  return { open: "return (", shut: `)${callText(fn)}`, tail: "", trailing: false, notes };
}

/**
 * A variable and not `return (`: the engine places a name that does not exist at the start of its statement, and
 * that must be the script's own expression.
 */
function valueForm(source: string, value: Expression, start: number) {
  const name = freeName(source);
  // `a, b` would end the declaration; parentheses of the script's own are part of the text already.
  const bare = value.type === "SequenceExpression" && value.start === start;
  return {
    open: `var ${name}=${bare ? "(" : ""}`,
    shut: bare ? ")" : "",
    tail: `;return ${name}`,
    trailing: true,
  };
}

/** Statements that only act are no results: `x = 1`, `i++`, `delete a.b`, `void f()`. */
function isResult(expression: Expression): boolean {
  if (expression.type === "AssignmentExpression" || expression.type === "UpdateExpression") return false;
  return (
    expression.type !== "UnaryExpression" ||
    (expression.operator !== "delete" && expression.operator !== "void")
  );
}

/**
 * The function that is the script: nothing in the script names it, or it would be called twice. One that is not named
 * as an entry and asks for values that nobody has is a helper that was left over.
 */
function entryFunction(program: Program): { name: string; fn: AnyNode } | undefined {
  const functions: { name: string; fn: AnyNode }[] = [];
  for (const node of program.body) {
    if (node.type === "FunctionDeclaration") {
      functions.push({ name: node.id.name, fn: node });
    } else if (node.type === "VariableDeclaration") {
      for (const { id, init } of node.declarations) {
        if (id.type === "Identifier" && init != null && isFunction(init))
          functions.push({ name: id.name, fn: init });
      }
    } else if (!("directive" in node)) {
      return undefined;
    }
  }
  const named = functions.find(({ name }) => ENTRY_NAMES.has(name));
  const entry = named ?? (functions.length === 1 ? functions[0] : undefined);
  if (entry === undefined || isCalledByScript(program, entry.name)) return undefined;
  return named === undefined && asksForValues(entry.fn) ? undefined : entry;
}
