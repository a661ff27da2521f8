import { isRecord } from "../shared/guards.ts";

/** A JSON Schema as it comes from a tool: nothing about it is certain. */
export type Schema = Readonly<Record<string, unknown>>;

/** The value that a local reference (`#`, `#/$defs/Item`) points to; undefined for any other. */
export function resolveRef(ref: string, root: unknown): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let current: unknown = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodePart(part);
    if (key === undefined) return undefined;
    if (Array.isArray(current)) current = /^\d+$/.test(key) ? current[Number(key)] : undefined;
    else if (isRecord(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return isRecord(current) || typeof current === "boolean" ? current : undefined;
}

function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return undefined;
  }
}

const MAPS = ["properties", "patternProperties"] as const;
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"] as const;
const SINGLE = ["items", "additionalProperties", "additionalItems"] as const;

/** The schemas directly inside a schema that take part in its type, in an order that depends on nothing else. */
export function childSchemas(schema: Schema): unknown[] {
  const children: unknown[] = [];
  for (const key of MAPS) {
    const map = schema[key];
    if (isRecord(map)) for (const name of Object.keys(map).sort()) children.push(map[name]);
  }
  for (const key of LISTS) {
    const list = schema[key];
    // One by one: there may be more than a call can take as arguments.
    if (Array.isArray(list)) for (const child of list) children.push(child);
  }
  for (const key of SINGLE) if (isRecord(schema[key])) children.push(schema[key]);
  return children;
}

/** Deepest nesting of a schema that is read; below it everything is `unknown`. */
export const MAX_SCHEMA_DEPTH = 48;
