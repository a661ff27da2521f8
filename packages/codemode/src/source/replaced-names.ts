import type { AnyNode, Pattern } from "acorn";
import { isFunction, walk } from "./walk.ts";

/**
 * Which of the names a script makes its own while it may still need the value that they had: it declares them with
 * `var`, or assigns to them. Names that it declares otherwise (`let tools`, `function tools() {}`) are its own from the
 * start, and so are those of a function or block inside it.
 */
export function replacedNames(root: AnyNode, names: readonly string[]): readonly string[] {
  return names.filter(
    (name) => !declaresAtOnce(root, name) && (hasVar(root, name) || isAssigned(root, name)),
  );
}

/** A `var` of the script's own, wherever it stands: functions keep theirs to themselves. */
function hasVar(root: AnyNode, name: string): boolean {
  let found = false;
  walk(root, (node) => {
    if (node.type === "VariableDeclaration" && node.kind === "var")
      found ||= node.declarations.some(({ id }) => binds(id, name));
    return !found && !isFunction(node);
  });
  return found;
}

function isAssigned(root: AnyNode, name: string): boolean {
  let found = false;
  walk(root, (node) => {
    if (found || hides(node, name)) return false;
    if (node.type === "AssignmentExpression") found = binds(node.left, name);
    else if (node.type === "UpdateExpression")
      found = node.argument.type === "Identifier" && node.argument.name === name;
    else if (node.type === "ForInStatement" || node.type === "ForOfStatement")
      found = node.left.type !== "VariableDeclaration" && binds(node.left, name);
    return !found;
  });
  return found;
}

/** Whether inside a node the name stands for something that the node declares. */
function hides(node: AnyNode, name: string): boolean {
  if (isFunction(node) && "params" in node) {
    if (node.type === "FunctionExpression" && node.id?.name === name) return true;
    return (node.params as readonly Pattern[]).some((param) => binds(param, name)) || hasVar(node.body, name);
  }
  switch (node.type) {
    case "BlockStatement":
    case "StaticBlock":
      return declaresAtOnce(node, name);
    case "CatchClause":
      return node.param != null && binds(node.param, name);
    case "ForStatement":
      return node.init?.type === "VariableDeclaration" && isLexical(node.init, name);
    case "ForInStatement":
    case "ForOfStatement":
      return node.left.type === "VariableDeclaration" && isLexical(node.left, name);
    case "SwitchStatement":
      return node.cases.some(({ consequent }) => consequent.some((inner) => isOwn(inner, name)));
    default:
      return false;
  }
}

/** Whether a program or block declares the name as a function, a class or with `let`, `const` or `using`. */
function declaresAtOnce(node: AnyNode, name: string): boolean {
  const { body } = node as { readonly body?: unknown };
  return Array.isArray(body) && (body as readonly AnyNode[]).some((inner) => isOwn(inner, name));
}

function isOwn(node: AnyNode, name: string): boolean {
  if (node.type === "FunctionDeclaration" || node.type === "ClassDeclaration") return node.id?.name === name;
  return node.type === "VariableDeclaration" && isLexical(node, name);
}

function isLexical(node: Extract<AnyNode, { type: "VariableDeclaration" }>, name: string): boolean {
  return node.kind !== "var" && node.declarations.some(({ id }) => binds(id, name));
}

/** Whether a pattern gives a value to the name. */
function binds(pattern: Pattern, name: string): boolean {
  switch (pattern.type) {
    case "Identifier":
      return pattern.name === name;
    case "AssignmentPattern":
      return binds(pattern.left, name);
    case "RestElement":
      return binds(pattern.argument, name);
    case "ArrayPattern":
      return pattern.elements.some((element) => element !== null && binds(element, name));
    case "ObjectPattern":
      return pattern.properties.some((property) =>
        binds(property.type === "Property" ? property.value : property.argument, name),
      );
    default:
      return false;
  }
}
