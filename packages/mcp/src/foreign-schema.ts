/**
 * What of a server's schema may run in this process. The server has the last word about its arguments anyway, so the
 * check here may be looser than the schema, and must not be one that hangs the host.
 */
import { branches, explodes, isNode, type Node, refersByName } from "./references.ts";
import { dataKeywords, mapKeywords } from "./schema-keywords.ts";

/** Where a looser inner schema makes the outer one stricter. */
const inverting: ReadonlySet<string> = new Set(["not", "if", "oneOf", "maxContains"]);

/** What these allow depends on what others have looked at, which is less in a looser schema. */
const unevaluated: ReadonlySet<string> = new Set(["unevaluatedProperties", "unevaluatedItems"]);

/** Whether a reference is left out. */
type Loses = (node: Node) => boolean;

/**
 * The schema without what can take exponential time: regular expressions, of which the server decides the text and what
 * they are held against, references that are no pointers from the root, and those by which a deep value is looked at
 * twice as often at each of its levels. A `pattern` is told in the description. A schema without any of them is given
 * back as it is; `undefined` for one whose references make it explode.
 */
export function foreignSchema(schema: object): object | undefined {
  if (explodes(schema)) return undefined;
  // A schema with an address of its own is what pointers within it begin at.
  const isMoved = Object.values(schema).some((inner) => mentions(inner, hasAddress));
  const back = isMoved ? undefined : branches(schema);
  const loses: Loses = (node) => back === undefined || back.has(node) || refersByName(node);
  const isHarmless = back?.size === 0 && !mentions(schema, (node) => isPattern(node) || refersByName(node));
  // An object that came as JSON, so what comes of it is one.
  return isHarmless ? schema : (loosen(schema, loses) as object);
}

function loosen(schema: unknown, loses: Loses): unknown {
  if (Array.isArray(schema)) return schema.map((inner: unknown) => loosen(inner, loses));
  if (!isNode(schema)) return schema;
  const { patternProperties, pattern, ...rest } = schema;
  const dropped = new Set<string>(unevaluated);
  if (loses(schema)) for (const key of ["$ref", "$dynamicRef", "$recursiveRef"]) dropped.add(key);
  // The keys that the expressions allowed are not known any more.
  if (patternProperties !== undefined) dropped.add("additionalProperties");
  for (const key of inverting) if (mentions(rest[key], isUncertain)) dropped.add(key);
  if (dropped.has("if")) for (const key of ["then", "else"]) dropped.add(key);
  if (mentions(rest["contains"], isUncertain)) dropped.add("maxContains");
  const entries = Object.entries(rest).flatMap(([key, value]): [string, unknown][] => {
    if (dropped.has(key)) return [];
    if (dataKeywords.has(key)) return [[key, value]];
    if (mapKeywords.has(key) && isNode(value))
      return [
        [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, loosen(inner, loses)]))],
      ];
    return [[key, loosen(value, loses)]];
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

const hasAddress = ({ $id: address }: Node): boolean => typeof address === "string";

/** What is behind a reference may have been made looser. */
function isUncertain(node: Node): boolean {
  return (
    isPattern(node) ||
    ["$ref", "$dynamicRef", "$recursiveRef", ...unevaluated].some((key) => Object.hasOwn(node, key))
  );
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
