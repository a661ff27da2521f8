import type { AnyNode, Pattern, Program } from "acorn";
import { isFunction, walk } from "./walk.ts";

/** What a function that is the whole script may ask for by the name of its parameters. */
const GLOBALS: ReadonlySet<string> = new Set([
  "tools",
  "ctx",
  "console",
  "text",
  "image",
  "exit",
  "store",
  "load",
  "models",
  "ALL_TOOLS",
  "searchTools",
  "describeTool",
  "describeNamespace",
]);

function argumentFor(parameter: Pattern): string {
  if (parameter.type === "Identifier") return GLOBALS.has(parameter.name) ? parameter.name : "undefined";
  if (parameter.type === "AssignmentPattern") return argumentFor(parameter.left);
  if (parameter.type !== "ObjectPattern") return "undefined";
  const names = parameter.properties.flatMap((property) =>
    property.type === "Property" && property.key.type === "Identifier" && GLOBALS.has(property.key.name)
      ? [property.key.name]
      : [],
  );
  return `{${names.join(",")}}`;
}

/** The call that runs a function which holds the script: globals go to the parameters that are named after them. */
export function callText(fn: AnyNode): string {
  if (!isFunction(fn) || !("params" in fn)) return "()";
  return `(${(fn.params as readonly Pattern[]).map(argumentFor).join(",")})`;
}

/** Whether a function has a parameter for which there is neither a global nor a default. */
export function asksForValues(fn: AnyNode): boolean {
  return isFunction(fn) && "params" in fn && (fn.params as readonly Pattern[]).some(asksForValue);
}

function asksForValue(parameter: Pattern): boolean {
  switch (parameter.type) {
    case "Identifier":
      return !GLOBALS.has(parameter.name);
    case "ObjectPattern":
      return parameter.properties.some(
        (property) =>
          property.type === "Property" &&
          property.value.type !== "AssignmentPattern" &&
          !(property.key.type === "Identifier" && GLOBALS.has(property.key.name)),
      );
    default:
      return parameter.type === "ArrayPattern";
  }
}

/** Whether a script may call a function itself: its name stands elsewhere than in its declaration and its export. */
export function isCalledByScript(program: Program, name: string): boolean {
  let found = false;
  walk(program, (node) => {
    if (found) return false;
    if (node.type === "FunctionDeclaration") return node.id?.name !== name;
    if (node.type === "VariableDeclarator") return node.id.type !== "Identifier" || node.id.name !== name;
    if (node.type === "ExportDefaultDeclaration") return node.declaration.type !== "Identifier";
    found = node.type === "Identifier" && node.name === name;
    return true;
  });
  return found;
}
