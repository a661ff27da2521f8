import type { OwnNames } from "./own-names.ts";
import type { Token } from "./tokens.ts";

/**
 * Which complaints about arguments hold for sure when the script runs. A compiler reasons about what its types admit,
 * and says "string" where a variable always holds `"open"`; a script that is right must not be refused for that.
 */
export interface ArgumentPlace {
  readonly tokens: readonly Token[];
  /** Index of the token that the complaint is about. */
  readonly index: number;
  readonly names: OwnNames;
  /** The text of a declared type by its name. */
  readonly typeOf: (name: string) => string | undefined;
}

interface Mismatch {
  readonly source: string;
  readonly target: string;
}

const MISMATCH = /^(?:Type|Argument of type) '(.*)' is not assignable to (?:type|parameter of type) '(.*)'\./;
const MISSING =
  /^(?:Property '.*' is missing in type|Type) '(.*)' (?:but required in type|is missing the following properties from type|has no properties in common with type) '(.*)'/;
/** What every object has by birth is compared with a member of that name that is not there. */
const INHERITED =
  /^Types of property '(?:constructor|toString|toLocaleString|valueOf|hasOwnProperty|isPrototypeOf|propertyIsEnumerable)' are/;
/** Of a tuple's length or of an optional member the compiler knows no more than that it might be wrong. */
const MAYBE = /source may have (?:fewer|more)|is optional in type/;
/**
 * What only types tell apart: a list that nobody may write to is a list, and an instance or a value of an interface has
 * members like any other object. A list in the place of an object is wrong.
 */
const SAME_DATA =
  /^The type '.*' is 'readonly' and cannot be assigned|^Index signature for type 'string' is missing in type '.*[^\]]'/;
/** What has no member that anybody named, whatever happens to it meanwhile. */
const NEVER_DATA = /^(?:Promise|\w*Iterator\w*|Generator|AsyncGenerator)</;

export function isCertain(message: string, place: ArgumentPlace): boolean {
  const lines = message.split("\n").map((line) => line.trim());
  if (lines.some((line) => MAYBE.test(line) || INHERITED.test(line) || SAME_DATA.test(line))) return false;
  const value = valueAt(place);
  const mismatches = lines.flatMap((line) => read(MISMATCH, line));
  const missing = lines.flatMap((line) => read(MISSING, line));
  const all = [...mismatches, ...missing];
  if (all.some(({ source }) => NEVER_DATA.test(source))) return true;
  // An object that is changed after it was made is no longer what its declaration says.
  if (value.kind === "variable" && place.names.isChanged(value.name) && all.some(hasMembers)) return false;
  if (mismatches.some((pair) => isVague(pair, place.typeOf) && !isLiteral(pair, value))) return false;
  if (all.some(becomesFitting)) return false;
  return missing.every(
    (pair) => isClosedValue(pair.source, value) && !mismatches.some((outer) => mayBeAnother(outer, pair)),
  );
}

function read(pattern: RegExp, line: string): Mismatch[] {
  const match = pattern.exec(line);
  return match?.[1] === undefined || match[2] === undefined ? [] : [{ source: match[1], target: match[2] }];
}

type Value =
  | { readonly kind: "literal"; readonly spreads: boolean }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "other" };

/** The expression that an argument's or a member's value is: what stands at the place, behind the colon of a key. */
function valueAt({ tokens, index, names }: ArgumentPlace): Value {
  const at = tokens[index + 1]?.text === ":" ? index + 2 : index;
  const direct = expressionAt(tokens, at);
  if (direct.kind !== "variable" || names.isChanged(direct.name)) return direct;
  const initial = names.initialValue(direct.name);
  const made = initial === undefined ? direct : expressionAt(tokens, initial);
  return made.kind === "literal" ? made : direct;
}

function expressionAt(tokens: readonly Token[], at: number): Value {
  const token = tokens[at];
  if (token === undefined) return { kind: "other" };
  const isWhole = endsExpression(tokens[at + 1]);
  if (token.kind === "name" && isWhole) return { kind: "variable", name: token.text };
  if (token.text === "{" || token.text === "[") {
    let depth = 0;
    let spreads = false;
    for (let index = at; index < tokens.length; index++) {
      const { text = "", kind } = tokens[index] ?? {};
      if (kind !== "other") continue;
      if (text === "{" || text === "[" || text === "(" || text === "${") depth++;
      else if (text === "}" || text === "]" || text === ")") {
        depth--;
        if (depth > 0) continue;
        return endsExpression(tokens[index + 1]) ? { kind: "literal", spreads } : { kind: "other" };
      } else if (text === "..." && depth === 1) spreads = true;
    }
  }
  const isPrimitive = token.kind === "string" || /^\d/.test(token.text);
  return isPrimitive && isWhole ? { kind: "literal", spreads: false } : { kind: "other" };
}

/** Whether an expression ends before a token; a word begins the next statement, unless it is an operator. */
function endsExpression(token: Token | undefined): boolean {
  if (token === undefined || /^[,)}\];]$/.test(token.text)) return true;
  return token.kind === "name" && !/^(?:as|satisfies|in|instanceof)$/.test(token.text);
}

function hasMembers({ source }: Mismatch): boolean {
  return /[{[]|</.test(source);
}

const WIDE = /^(?:string|number|boolean|bigint)$/;

/** A type that says less about the value than is known when the script runs. */
function isVague({ source, target }: Mismatch, typeOf: ArgumentPlace["typeOf"]): boolean {
  if (/(?:^|[^"\w])unknown\b/.test(source) || source === "{}" || source === "object") return true;
  const parts = membersOf(source);
  if (parts.length > 1) return !parts.every(isLiteralType);
  return WIDE.test(source) && admitsLiteralOf(source, target, typeOf, 0);
}

/** `{}` that stands there is not vague at all. */
function isLiteral({ source }: Mismatch, value: Value): boolean {
  return source === "{}" && value.kind === "literal" && !value.spreads;
}

function admitsLiteralOf(
  wide: string,
  target: string,
  typeOf: ArgumentPlace["typeOf"],
  depth: number,
): boolean {
  return membersOf(target).some((part) => {
    if (isLiteralType(part)) {
      const kind = part.startsWith('"') ? "string" : /^(?:true|false)$/.test(part) ? "boolean" : "number";
      return kind === wide;
    }
    const declared = depth < 8 ? typeOf(part) : undefined;
    return declared !== undefined && admitsLiteralOf(wide, declared, typeOf, depth + 1);
  });
}

function isLiteralType(type: string): boolean {
  return (
    /^(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|true|false)$/.test(type) || /^\.\.\. \d+ more \.\.\.$/.test(type)
  );
}

/** The members of a union, as far as they stand outside of brackets and strings. */
function membersOf(type: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let from = 0;
  for (const { 0: token, index } of type.matchAll(/"(?:[^"\\]|\\.)*"|=>|[{}[\]()<>|]/g)) {
    if (token.length > 1) continue;
    if ("{[(<".includes(token)) depth++;
    else if ("}])>".includes(token)) depth--;
    else if (depth === 0) {
      members.push(type.slice(from, index).trim());
      from = index + 1;
    }
  }
  return [...members, type.slice(from).trim()].filter((member) => member !== "");
}

/** What a call makes plain data of: a date is text, a set and a map are arrays. */
function becomesFitting({ source, target }: Mismatch): boolean {
  if (/^(?:Date|RegExp|String)$/.test(source)) return /\bstring\b/.test(target);
  if (/^(?:Number|Boolean)$/.test(source)) return target.includes(source.toLowerCase());
  return /^(?:Readonly)?(?:Set|Map)</.test(source) && /\[|Array</.test(target);
}

/** Whether a value that lacks a member lacks it for sure. */
function isClosedValue(source: string, value: Value): boolean {
  if (source.endsWith("[]") || WIDE.test(source) || isLiteralType(source)) return true;
  if (/^\{ \[\w+: (?:string|number)\]:/.test(source)) return false;
  return value.kind === "literal" && !value.spreads;
}

/**
 * Of the members of a union the compiler compares with the one that looks nearest; with a value such as
 * `{ kind: string }` that is a guess.
 */
function mayBeAnother(outer: Mismatch, { source }: Mismatch): boolean {
  if (membersOf(outer.target).length < 2) return false;
  return /(?:^|[;{] )[\w$"]+\??: (?:string|number|boolean);/.test(source);
}
