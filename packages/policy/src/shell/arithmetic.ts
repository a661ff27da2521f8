import { addDoubt, type Analysis } from "./analysis.ts";
import { checkName, isDangerousVariable } from "./environment.ts";

/**
 * Arithmetic evaluates what its variables hold, and a subscript in there can run a command. Numbers are harmless,
 * and so are variables that this text only ever sets to numbers; everything else is a doubt.
 */
export function checkArithmetic(analysis: Analysis, expression: string, text: string): void {
  const names = new Set(expression.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []);
  // `(( PATH = 1 ))` sets it like any assignment.
  for (const name of names)
    if (isDangerousVariable(name) && new RegExp(`\\b${name}\\s*([+*/%&|^-]|<<|>>)?=(?!=)`).test(expression))
      checkName(analysis, name);
  const rest = expression.replace(/\$(\{#[A-Za-z_@*][\w@*[\]]*\}|[#?!])/g, "0");
  const plain = /^[\w\s+\-*/%<>=!&|^~?:(),.#$"{}]*$/.test(rest) && !/\$\(|`|\$\{[^}]*[^\w}]/.test(rest);
  if (plain && [...names].every((name) => isNumber(name) || isNumeric(analysis, name, text))) return;
  addDoubt(analysis, "evaluates-argument", "arithmetic evaluates what its variables hold");
}

/** More names than this are not looked up: each costs a pass over the text. */
const maxNames = 64;

function isNumeric(analysis: Analysis, name: string, text: string): boolean {
  const known = analysis.numeric.get(name);
  if (known !== undefined) return known;
  if (analysis.numeric.size >= maxNames) return false;
  const answer = onlyNumbers(name, text);
  analysis.numeric.set(name, answer);
  return answer;
}

function isNumber(name: string): boolean {
  return /^x[0-9a-fA-F]+$/.test(name);
}

function onlyNumbers(name: string, text: string): boolean {
  const assigned = [...text.matchAll(new RegExp(`\\b${name}\\s*[+\\-*/%]?=(?!=)\\s*(\\S*)`, "g"))];
  const counted = new RegExp(`\\b${name}(\\+\\+|--)|(\\+\\+|--)${name}\\b`).test(text);
  const loops = new RegExp(
    `\\b(read|mapfile|readarray|getopts|printf|select)\\b|\\bfor\\s+${name}\\s+in\\s+(?![\\d\\s]+;|\\{\\d+\\.\\.\\d+\\})`,
  ).test(text);
  if (loops) return false;
  const inLoop = new RegExp(`\\bfor\\s+${name}\\s+in\\b`).test(text);
  if (assigned.length === 0) return counted || inLoop;
  return assigned.every((match) => /^(-?\d+([;)\s,]|$)|\$\(\()/.test(match[1] ?? ""));
}
