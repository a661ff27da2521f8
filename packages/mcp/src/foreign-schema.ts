/**
 * What of a server's schema may run in this process. The server has the last word about its arguments anyway, so the
 * check here may be looser than the schema, and must not be one that hangs the host.
 */
import { dataKeywords, mapKeywords } from "./schema-keywords.ts";

/** Schemas that one validation may look at, with every reference followed. */
const maxSteps = 200_000;

/** Where a looser inner schema makes the outer one stricter. */
const inverting: ReadonlySet<string> = new Set(["not", "if", "oneOf", "maxContains"]);

type Node = Readonly<Record<string, unknown>>;

/**
 * The schema without regular expressions: one of them can take exponential time, and its text and the server's are all
 * that decide it. A `pattern` is told in the description. A schema without any is given back as it is; `undefined` for
 * one whose references make it explode.
 */
export function foreignSchema(schema: object): object | undefined {
  if (explodes(schema)) return undefined;
  // An object that came as JSON, so what comes of it is one.
  return mentions(schema, isPattern) ? (loosen(schema) as object) : schema;
}

function loosen(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(loosen);
  if (!isNode(schema)) return schema;
  const { patternProperties, pattern, ...rest } = schema;
  const dropped = new Set<string>();
  // The keys that the expressions allowed are not known any more.
  if (patternProperties !== undefined)
    for (const key of ["additionalProperties", "unevaluatedProperties"]) dropped.add(key);
  for (const key of inverting) if (mentions(rest[key], isUncertain)) dropped.add(key);
  if (dropped.has("if")) for (const key of ["then", "else"]) dropped.add(key);
  if (mentions(rest["contains"], isUncertain)) dropped.add("maxContains");
  const entries = Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.has(key)) return [];
    if (dataKeywords.has(key)) return [[key, value]];
    if (mapKeywords.has(key) && isNode(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, loosen(inner)]))]];
    return [[key, loosen(value)]];
  });
  const loose: Record<string, unknown> = Object.fromEntries(entries);
  if (typeof pattern === "string") {
    const said = typeof rest["description"] === "string" ? `${rest["description"]} ` : "";
    loose["description"] = `${said}(pattern: ${pattern.slice(0, 200)})`;
  }
  return loose;
}

function isPattern(node: Node): boolean {
  return "pattern" in node || "patternProperties" in node;
}

/** What is behind a reference may have been made looser. */
function isUncertain(node: Node): boolean {
  return isPattern(node) || "$ref" in node || "$dynamicRef" in node;
}

/** Whether a schema or one inside it is such a one. A property that is called `pattern` counts too: that is harmless. */
function mentions(schema: unknown, test: (node: Node) => boolean): boolean {
  const open: unknown[] = [schema];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null) continue;
    if (isNode(next) && test(next)) return true;
    open.push(...Object.values(next).filter((value) => value !== undefined));
  }
  return false;
}

/** Counts what one validation may look at: every schema, again for each reference that leads to it. */
function explodes(root: object): boolean {
  let steps = 0;
  const walk = (schema: unknown, following: ReadonlySet<string>, depth: number): boolean => {
    if (typeof schema !== "object" || schema === null) return false;
    if (++steps > maxSteps || depth > 5_000) return true;
    const ref: unknown = isNode(schema) ? schema["$ref"] : undefined;
    // One that leads back consumes a level of the value, and is not followed twice.
    if (typeof ref === "string" && ref.startsWith("#") && !following.has(ref)) {
      if (walk(resolve(root, ref), new Set([...following, ref]), depth + 1)) return true;
    }
    return Object.entries(schema).some(
      ([key, value]) =>
        !dataKeywords.has(key) &&
        key !== "$defs" &&
        key !== "definitions" &&
        walk(value, following, depth + 1),
    );
  };
  return walk(root, new Set(), 0);
}

function resolve(root: object, ref: string): unknown {
  let at: unknown = root;
  for (const part of ref.split("/").slice(1)) {
    const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Node)[key];
  }
  return at;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
