import { isRecord } from "../shared/guards.ts";
import { constraintTags, LINE_TERMINATOR } from "./constraint-tags.ts";
import { nameReferences } from "./named-types.ts";
import { MAX_SCHEMA_DEPTH, resolveRef, type Schema } from "./schema.ts";

export interface TypeOptions {
  /** Longest type, in characters; longer ones lose their tags first and then become `unknown`. */
  readonly maxChars?: number;
  /** Goes in front of the names of declared types, for when several schemas share a file. */
  readonly typePrefix?: string;
  /** What stands for anything. Default: `unknown`. */
  readonly anything?: "unknown" | "any";
}

export interface SchemaType {
  readonly type: string;
  /** Declarations that the type needs: `type Node = { … };`. */
  readonly declarations: readonly string[];
}

interface Context {
  readonly root: unknown;
  readonly names: ReadonlyMap<string, string>;
  readonly tags: boolean;
  readonly anything: "unknown" | "any";
  /** Characters that may still be written, roughly: references that repeat would make a small schema endless. */
  left: number;
  /** References being written out, against endless ones that got no name. */
  readonly open: Set<string>;
}

/** Longest type of one schema, roughly; what is left of the schema then becomes `unknown`. */
const MAX_TYPE_CHARS = 500_000;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const INDENT = "  ";

/**
 * The TypeScript type of a JSON Schema. Objects stand on one line with their properties sorted; where a property
 * has a description or a constraint that the type cannot say, every property has a line of its own and comments
 * above it. References that recur or recurse become named types. What cannot be said is `unknown`.
 */
export function schemaToType(schema: unknown, options: TypeOptions = {}): SchemaType {
  const names = nameReferences(schema, options.typePrefix ?? "");
  const anything = options.anything ?? "unknown";
  const tagged = render(schema, names, true, anything);
  const { maxChars } = options;
  if (maxChars === undefined || size(tagged) <= maxChars) return tagged;
  const bare = render(schema, names, false, anything);
  return size(bare) <= maxChars ? bare : { type: anything, declarations: [] };
}

function size({ type, declarations }: SchemaType): number {
  return declarations.reduce((sum, text) => sum + text.length, type.length);
}

function render(
  root: unknown,
  names: ReadonlyMap<string, string>,
  tags: boolean,
  anything: Context["anything"],
): SchemaType {
  const context: Context = { root, names, tags, anything, left: MAX_TYPE_CHARS, open: new Set() };
  const declarations = [...names].map(([ref, name]) => {
    const target = resolveRef(ref, root);
    return `type ${name} = ${isCircularAlias(ref, target, root) ? anything : toType(target, context, 0)};`;
  });
  return { type: names.get("#") ?? toType(root, context, 0), declarations };
}

/**
 * Whether a reference leads back to itself with no object or array between, which no type alias may. A tuple with
 * places that may be missing, or with a rest, is none between, nor is an array in it: the compiler looks into it at once.
 */
function isCircularAlias(ref: string, target: unknown, root: unknown): boolean {
  const seen = new Set<unknown>();
  const seenInTuple = new Set<unknown>();
  const queue: { readonly schema: unknown; readonly inTuple: boolean }[] = [
    { schema: target, inTuple: false },
  ];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { schema, inTuple } = next;
    if (!isRecord(schema) || seenInTuple.has(schema) || (!inTuple && seen.has(schema))) continue;
    (inTuple ? seenInTuple : seen).add(schema);
    if (schema["$ref"] === ref) return true;
    if (typeof schema["$ref"] === "string") queue.push({ schema: resolveRef(schema["$ref"], root), inTuple });
    for (const key of ["anyOf", "oneOf", "allOf"]) {
      const variants = schema[key];
      if (Array.isArray(variants)) for (const variant of variants) queue.push({ schema: variant, inTuple });
    }
    const { places, least, rest } = tupleOf(schema);
    const isOpen = least < places.length || (rest !== undefined && rest !== false);
    if (places.length > 0 && (isOpen || inTuple)) {
      for (const place of [...places, rest]) queue.push({ schema: place, inTuple: true });
    } else if (inTuple) queue.push({ schema: schema["items"], inTuple });
  }
  return false;
}

function toType(schema: unknown, context: Context, depth: number): string {
  context.left -= 4;
  if (schema === false) return "never";
  if (!isRecord(schema) || depth > MAX_SCHEMA_DEPTH || context.left < 0) return context.anything;
  const type = intersection(
    [...referenceType(schema, context, depth), ...ownTypes(schema, context, depth)],
    context,
  );
  return schema["nullable"] === true ? union([type, "null"], context) : type;
}

function referenceType(schema: Schema, context: Context, depth: number): string[] {
  const ref = schema["$ref"];
  if (typeof ref !== "string") return [];
  const name = context.names.get(ref);
  if (name !== undefined) return [name];
  const target = resolveRef(ref, context.root);
  if (target === undefined || context.open.has(ref)) return [context.anything];
  context.open.add(ref);
  const type = toType(target, context, depth + 1);
  context.open.delete(ref);
  return [type];
}

/** The parts that hold at once: `const` and `enum` say everything, the rest is intersected. */
function ownTypes(schema: Schema, context: Context, depth: number): string[] {
  if ("const" in schema) return [literal(schema["const"], context)];
  if (Array.isArray(schema["enum"]))
    return [
      union(
        schema["enum"].map((value) => literal(value, context)),
        context,
      ),
    ];
  const parts: string[] = [];
  for (const key of ["anyOf", "oneOf"] as const) {
    const variants = schema[key];
    if (Array.isArray(variants))
      parts.push(
        union(
          variants.map((variant) => toType(variant, context, depth + 1)),
          context,
        ),
      );
  }
  const all = schema["allOf"];
  if (Array.isArray(all)) for (const part of all) parts.push(toType(part, context, depth + 1));
  return [...parts, ...shapeTypes(schema, parts.length > 0 || "$ref" in schema, context, depth)];
}

/** What the schema itself says beside its combinations; a bare `type: object` adds nothing to them. */
function shapeTypes(schema: Schema, isCombined: boolean, context: Context, depth: number): string[] {
  const { type } = schema;
  if (Array.isArray(type)) {
    if (isCombined) return [];
    return [
      union(
        [...new Set(type)].map((entry) =>
          intersection(shapeTypes({ ...schema, type: entry }, false, context, depth), context),
        ),
        context,
      ),
    ];
  }
  const isObject = "properties" in schema || "additionalProperties" in schema || "required" in schema;
  switch (type) {
    case "string":
    case "boolean":
    case "null":
      return isCombined ? [] : [type];
    case "number":
    case "integer":
      return isCombined ? [] : ["number"];
    case "array":
      return isCombined && !("items" in schema) ? [] : [arrayType(schema, context, depth)];
    case "object":
      return isCombined && !isObject ? [] : [objectType(schema, isCombined, context, depth)];
    case undefined:
      if (isObject || "patternProperties" in schema) return [objectType(schema, isCombined, context, depth)];
      return "items" in schema || "prefixItems" in schema ? [arrayType(schema, context, depth)] : [];
    default:
      return [];
  }
}

function literal(value: unknown, context: Context): string {
  try {
    const text = context.left < 0 ? context.anything : (JSON.stringify(value) ?? context.anything);
    context.left -= text.length;
    return text;
  } catch {
    return context.anything;
  }
}

function union(types: readonly string[], { anything }: Context): string {
  const unique = [...new Set(types)];
  if (unique.includes(anything)) return anything;
  const possible = unique.filter((type) => type !== "never");
  return possible.length === 0 ? "never" : possible.join(" | ");
}

function intersection(types: readonly string[], { anything }: Context): string {
  const unique = [...new Set(types)].filter((type) => type !== anything);
  if (unique.length <= 1) return unique[0] ?? anything;
  return unique.map((type) => (hasOperator(type, "|") ? `(${type})` : type)).join(" & ");
}

/** Whether a type has one of the operators outside of all brackets and strings. */
function hasOperator(type: string, operators: string): boolean {
  // In one go: there are quotation marks in comments, and slashes in strings.
  const outer = type.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*/g, "");
  let depth = 0;
  for (const char of outer) {
    if ("{[(<".includes(char)) depth++;
    else if ("}])>".includes(char)) depth--;
    else if (depth === 0 && operators.includes(char)) return true;
  }
  return false;
}

function arrayType(schema: Schema, context: Context, depth: number): string {
  const { items } = schema;
  const { places, least, rest } = tupleOf(schema);
  if (places.length === 0) {
    return items === undefined || Array.isArray(items)
      ? `${context.anything}[]`
      : `Array<${toType(items, context, depth + 1)}>`;
  }
  const entries = places.map((entry, index) => {
    const type = toType(entry, context, depth + 1);
    return index < least ? type : `${hasOperator(type, "|&") ? `(${type})` : type}?`;
  });
  if (rest !== undefined && rest !== false) entries.push(`...Array<${toType(rest, context, depth + 1)}>`);
  return `[${entries.join(", ")}]`;
}

interface Tuple {
  readonly places: readonly unknown[];
  /** How many of them are always there. */
  readonly least: number;
  /** What may follow; nothing when it is `false` or undefined. */
  readonly rest: unknown;
}

function tupleOf({ prefixItems, items, additionalItems, minItems }: Schema): Tuple {
  const isOld = !Array.isArray(prefixItems) && Array.isArray(items);
  const places: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : isOld ? items : [];
  const rest = Array.isArray(prefixItems) ? items : isOld ? additionalItems : undefined;
  // Without a lower bound every place of a tuple may be missing; schemas rarely mean that, so it has to be said.
  return { places, rest, least: typeof minItems === "number" ? Math.max(0, minItems) : places.length };
}

interface Member {
  readonly comments: readonly string[];
  readonly text: string;
  readonly type: string;
}

function objectType(schema: Schema, isCombined: boolean, context: Context, depth: number): string {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = new Set(
    Array.isArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [],
  );
  const names = [...new Set([...Object.keys(properties), ...required])].sort();
  for (const name of names) context.left -= name.length;
  if (context.left < 0) return context.anything;
  const members = names.map((name): Member => {
    const property = Object.hasOwn(properties, name) ? properties[name] : true;
    const type = toType(property, context, depth + 1);
    const key = IDENTIFIER.test(name)
      ? name
      : JSON.stringify(name).replace(/[\u2028\u2029]/g, escapeSeparator);
    const optional = required.has(name) ? "" : "?";
    return { comments: commentsOf(property, context), text: `${key}${optional}: ${type};`, type };
  });
  const index = indexType(schema, names.length === 0 && !isCombined, context, depth);
  if (index === undefined) return braces(members);
  // An index signature binds the named members too, so it has to admit what they are.
  const missing = names.every((name) => required.has(name)) ? [] : ["undefined"];
  const type = union([index, ...members.map((member) => member.type), ...missing], context);
  return braces([...members, { comments: [], text: `[key: string]: ${type};`, type }]);
}

function indexType(schema: Schema, isEmpty: boolean, context: Context, depth: number): string | undefined {
  const additional = schema["additionalProperties"];
  const patterns = isRecord(schema["patternProperties"]) ? schema["patternProperties"] : {};
  const types = Object.keys(patterns)
    .sort()
    .map((key) => toType(patterns[key], context, depth + 1));
  if (additional === true) types.push(context.anything);
  else if (isRecord(additional)) types.push(toType(additional, context, depth + 1));
  if (types.length > 0) return union(types, context);
  return additional === undefined && isEmpty ? context.anything : undefined;
}

function escapeSeparator(char: string): string {
  return char === "\u2028" ? "\\u2028" : "\\u2029";
}

/** Lines above a member; a line break of a description starts a new comment and never ends one. */
function commentsOf(property: unknown, context: Context): string[] {
  const description =
    isRecord(property) && typeof property["description"] === "string" ? property["description"] : "";
  context.left -= description.length;
  if (context.left < 0) return [];
  const lines = description
    .split(LINE_TERMINATOR)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const tags = context.tags ? constraintTags(property) : "";
  return tags === "" ? lines : [...lines, tags];
}

function braces(members: readonly Member[]): string {
  if (members.length === 0) return "{}";
  if (members.every(({ comments }) => comments.length === 0))
    return `{ ${members.map(({ text }) => text).join(" ")} }`;
  const lines = members.flatMap(({ comments, text }) => [
    ...comments.map((comment) => `${INDENT}// ${comment}`),
    `${INDENT}${text.replaceAll("\n", `\n${INDENT}`)}`,
  ]);
  return ["{", ...lines, "}"].join("\n");
}
