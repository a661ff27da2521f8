import type { JsonValue } from "./json.ts";
import { isPlainObject } from "./plain-json.ts";

export interface PlainJsonOptions {
  /**
   * `data` (default): the value runs no code (a Proxy's traps excepted, which are caught), so accessors, class
   * instances, holes and `undefined` in a list are refused. `stringify`: what `JSON.stringify` would write: `toJSON`
   * and accessors are called, a class instance is its own keys, a hole or `undefined` in a list is `null`.
   */
  readonly as?: "data" | "stringify";
  /** Levels of lists and objects. Default 256. */
  readonly maxDepth?: number;
  /** Values in all, containers included. Default 1,000,000. */
  readonly maxValues?: number;
  /** Characters of strings and keys, and one for every element of a list. Default: as many as there are. */
  readonly maxChars?: number;
}

/** A copy that nobody else holds, or the first place in reading order that stood in its way, as keys and indices. */
export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: readonly (string | number)[]; readonly message: string };

/**
 * A copy of a value as plain JSON, so that what is checked, what runs and what is on record cannot differ later: every
 * property is read once. A member that is `undefined` is left out and a key `__proto__` stays a key; what JSON would
 * lose in silence (functions, symbols, Map, Set, promises, NaN) is refused, and so are cycles and BigInt. Never throws.
 */
export function toPlainJson(value: unknown, options: PlainJsonOptions = {}): PlainJson {
  const { as = "data", maxDepth = 256, maxValues = 1_000_000, maxChars = Number.POSITIVE_INFINITY } = options;
  const stringify = as === "stringify";
  const path: (string | number)[] = [];
  const open = new Set<object>();
  let values = 0;
  let chars = 0;

  const count = (more: number): void => {
    chars += more;
    if (chars > maxChars) throw new NotPlain(`more than ${maxChars} characters`);
  };

  const copy = (item: unknown, depth: number): JsonValue | undefined => {
    values += 1;
    if (values > maxValues) throw new NotPlain(`more than ${maxValues} values`);
    switch (typeof item) {
      case "string":
        count(item.length);
        return item;
      case "boolean":
      case "undefined":
        return item;
      case "number":
        if (!Number.isFinite(item)) throw new NotPlain(`${String(item)} is not JSON`);
        return item;
      case "object":
        break;
      default:
        throw new NotPlain(`a ${typeof item} is not JSON`);
    }
    if (item === null) return null;
    if (depth >= maxDepth) throw new NotPlain(`more than ${maxDepth} levels`);
    if (open.has(item)) throw new NotPlain("a cycle is not JSON");
    open.add(item);
    const copied = copyContainer(item, depth);
    open.delete(item);
    return copied;
  };

  const copyContainer = (item: object, depth: number): JsonValue | undefined => {
    if (stringify) {
      const toJson: unknown = Reflect.get(item, "toJSON");
      if (typeof toJson === "function") {
        return copy(Reflect.apply(toJson, item, [String(path.at(-1) ?? "")]), depth + 1);
      }
    }
    if (Array.isArray(item)) return copyList(item, depth);
    const found = stringify ? tagOf(item) : isPlainObject(item) ? undefined : "an object with a class";
    if (found !== undefined) throw new NotPlain(`${found} is not JSON`);
    return copyObject(item, depth);
  };

  const copyList = (list: readonly unknown[], depth: number): JsonValue => {
    const { length } = list;
    // Before the first element is read, so that a list of 2^32 holes costs nothing.
    count(length);
    const result: JsonValue[] = [];
    for (let index = 0; index < length; index += 1) {
      path.push(index);
      const copied = copy(stringify ? list[index] : dataOf(list, String(index)), depth + 1);
      if (copied === undefined && !stringify) throw new NotPlain("undefined is not JSON");
      result.push(copied ?? null);
      path.pop();
    }
    return result;
  };

  const copyObject = (item: object, depth: number): JsonValue => {
    const result: Record<string, JsonValue> = {};
    for (const key of Object.keys(item)) {
      path.push(key);
      count(key.length);
      const copied = copy(stringify ? Reflect.get(item, key) : dataOf(item, key), depth + 1);
      path.pop();
      if (copied === undefined) continue;
      // An assignment to `__proto__` would change the prototype.
      if (key === "__proto__") {
        const own = { value: copied, enumerable: true, configurable: true, writable: true };
        Object.defineProperty(result, key, own);
      } else {
        result[key] = copied;
      }
    }
    return result;
  };

  try {
    const copied = copy(value, 0);
    return copied === undefined
      ? { ok: false, path: [], message: "undefined is not JSON" }
      : { ok: true, value: copied };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, path, message: error.message };
    // A getter, a Proxy trap or toJSON threw: its message may say anything, so it is not repeated.
    return { ok: false, path: [], message: "reading it threw an error" };
  }
}

class NotPlain extends Error {}

/** An own property that is data. An element that a list does not have is a hole. */
function dataOf(holder: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property === undefined) {
    if (Array.isArray(holder)) throw new NotPlain("a hole in a list is not JSON");
    return undefined;
  }
  if (!("value" in property)) throw new NotPlain("a computed property is not JSON");
  const data: unknown = property.value;
  return data;
}

/** What an object is that JSON would write as `{}`; `undefined` for one that is its own keys. */
function tagOf(item: object): string | undefined {
  const tag = Object.prototype.toString.call(item);
  return tag === "[object Object]" ? undefined : tag.slice(8, -1);
}
