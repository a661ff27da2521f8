/**
 * Where a schema's references lead, and what it would cost to follow them: one value may be looked at again for each way
 * that leads to it.
 */
import { dataKeywords } from "./schema-keywords.ts";

/** Schemas that are looked at; one whose ways are more is taken for one that explodes. */
const maxSteps = 200_000;
const maxDepth = 5_000;
/** References that lead back to one schema; where there are more, it is not told which of them meet. */
const maxBack = 1_000;

export type Node = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A reference by a pointer from the root: only these are followed here. */
const isPointer = (ref: unknown): ref is string => typeof ref === "string" && /^#(?:\/|$)/.test(ref);

/** A reference by a name, an address or what is in force at the moment, or a name for one. */
export function refersByName(node: Node): boolean {
  const { $ref: ref } = node;
  return (
    (typeof ref === "string" && !isPointer(ref)) ||
    typeof node["$dynamicRef"] === "string" ||
    typeof node["$recursiveRef"] === "string" ||
    typeof node["$recursiveRef"] === "boolean"
  );
}

/** Counts what one validation may look at: every schema, again for each reference that leads to it. */
export function explodes(root: object): boolean {
  let steps = 0;
  const walk = (schema: unknown, following: ReadonlySet<string>, depth: number): boolean => {
    if (typeof schema !== "object" || schema === null) return false;
    if (++steps > maxSteps || depth > maxDepth) return true;
    const ref: unknown = isNode(schema) ? schema["$ref"] : undefined;
    // One that leads back is not followed twice: see `branches`.
    if (isPointer(ref) && !following.has(ref)) {
      if (walk(resolve(root, ref), new Set([...following, ref]), depth + 1)) return true;
    }
    return parts(schema).some(([, inner]) => walk(inner, following, depth + 1));
  };
  return walk(root, new Set(), 0);
}

/**
 * The references that lead back to a schema by which a deep value would be looked at twice as often at each of its
 * levels: two ways back at one place of the value. `undefined`: there are too many ways to tell.
 */
export function branches(root: object): ReadonlySet<Node> | undefined {
  const found = new Set<Node>();
  let steps = 0;
  for (const target of pointersIn(root)) {
    const back: { readonly node: Node; readonly way: readonly string[] }[] = [];
    const walk = (schema: unknown, following: ReadonlySet<string>, way: readonly string[]): boolean => {
      if (typeof schema !== "object" || schema === null) return true;
      if (++steps > maxSteps || following.size + way.length > maxDepth) return false;
      const ref: unknown = isNode(schema) ? schema["$ref"] : undefined;
      if (isNode(schema) && ref === target) back.push({ node: schema, way });
      else if (isPointer(ref) && !following.has(ref)) {
        if (!walk(resolve(root, ref), new Set([...following, ref]), way)) return false;
      }
      return parts(schema).every(([at, inner]) =>
        walk(inner, following, at === undefined ? way : [...way, at]),
      );
    };
    if (!walk(resolve(root, target), new Set(), []) || back.length > maxBack) return undefined;
    for (const [index, one] of back.entries()) {
      for (const other of back.slice(index + 1)) {
        if (!meet(one.way, other.way)) continue;
        found.add(one.node).add(other.node);
      }
    }
  }
  return found;
}

/** Whether two ways lead to one place of a value, or one of them past the other's. */
function meet(one: readonly string[], other: readonly string[]): boolean {
  return one.every((at, index) => {
    const there = other[index];
    return there === undefined || at === there || covers(at, there) || covers(there, at);
  });
}

/** Any property, or any item, and one of them. */
const covers = (any: string, one: string): boolean => any.endsWith("*") && one.startsWith(any.slice(0, -1));

type Part = readonly [at: string | undefined, schema: unknown];

/** The schemas within one, each with the place of the value that it is about: `undefined` for the value itself. */
function parts(schema: object): readonly Part[] {
  if (Array.isArray(schema)) return schema.map((inner: unknown) => [undefined, inner]);
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]): readonly Part[] => {
    if (dataKeywords.has(key)) return [];
    switch (key) {
      case "$defs":
      case "definitions":
        return [];
      case "properties":
        return isNode(value) ? Object.entries(value).map(([name, inner]) => [`.${name}`, inner]) : [];
      case "patternProperties":
        return isNode(value) ? Object.values(value).map((inner) => [".*", inner]) : [];
      case "additionalProperties":
      case "unevaluatedProperties":
        return [[".*", value]];
      case "prefixItems":
      case "items":
        return Array.isArray(value)
          ? value.map((inner: unknown, index) => [`[${index}`, inner])
          : [["[*", value]];
      case "additionalItems":
      case "unevaluatedItems":
      case "contains":
        return [["[*", value]];
      case "propertyNames":
        return [["name", value]];
      case "dependentSchemas":
      case "dependencies":
        return isNode(value) ? Object.values(value).map((inner) => [undefined, inner]) : [];
      default:
        return [[undefined, value]];
    }
  });
}

function pointersIn(root: object): ReadonlySet<string> {
  const found = new Set<string>();
  const open: unknown[] = [root];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (isNode(next) && isPointer(next["$ref"])) found.add(next["$ref"]);
    for (const value of Object.values(next)) open.push(value);
  }
  return found;
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
