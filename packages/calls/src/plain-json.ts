import type { JsonValue } from "@nestbox/tool";

export interface PlainJsonLimits {
  readonly maxArgumentChars: number;
  readonly maxArgumentDepth: number;
}

export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: string; readonly message: string };

class NotPlain extends Error {
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/**
 * A copy of `value` that is plain JSON, so that what is checked, what runs and what is on record cannot differ later.
 * Members that are `undefined` are left out and `toJSON` is honoured, as `JSON.stringify` does. What JSON would lose
 * in silence (functions, symbols, Map, Set, promises, NaN) is refused instead, and so are cycles and BigInt.
 */
export function toPlainJson(value: unknown, limits: PlainJsonLimits): PlainJson {
  const open = new Set<object>();
  let chars = 0;

  const count = (text: string, path: string): void => {
    chars += text.length;
    if (chars > limits.maxArgumentChars)
      throw new NotPlain(path, `more than ${limits.maxArgumentChars} characters`);
  };

  const copy = (item: unknown, path: string, depth: number, key: string): JsonValue | undefined => {
    switch (typeof item) {
      case "string":
        count(item, path);
        return item;
      case "boolean":
        return item;
      case "number":
        if (!Number.isFinite(item)) throw new NotPlain(path, `${item} is not JSON`);
        return item;
      case "undefined":
        return undefined;
      case "object":
        break;
      default:
        throw new NotPlain(path, `a ${typeof item} is not JSON`);
    }
    if (item === null) return null;
    if (depth >= limits.maxArgumentDepth)
      throw new NotPlain(path, `more than ${limits.maxArgumentDepth} levels`);
    if (open.has(item)) throw new NotPlain(path, "a cycle is not JSON");
    open.add(item);
    const copied = copyObject(item, path, depth, key);
    open.delete(item);
    return copied;
  };

  const copyObject = (item: object, path: string, depth: number, key: string): JsonValue | undefined => {
    if ("toJSON" in item && typeof item.toJSON === "function") {
      return copy((item.toJSON as (key: string) => unknown)(key), path, depth + 1, key);
    }
    if (Array.isArray(item)) {
      // Every element costs something, so that a sparse array of 2^32 holes is refused too.
      chars += item.length;
      if (chars > limits.maxArgumentChars) throw new NotPlain(path, "too long");
      return Array.from(
        item as unknown[],
        (entry, index) => copy(entry, `${path}/${index}`, depth + 1, String(index)) ?? null,
      );
    }
    const tag = Object.prototype.toString.call(item);
    if (tag !== "[object Object]") throw new NotPlain(path, `${tag.slice(8, -1)} is not JSON`);
    const result: Record<string, JsonValue> = {};
    for (const name of Object.keys(item)) {
      count(name, path);
      const copied = copy((item as Record<string, unknown>)[name], `${path}/${name}`, depth + 1, name);
      if (copied === undefined) continue;
      // An assignment to `__proto__` would change the prototype.
      if (name === "__proto__") {
        Object.defineProperty(result, name, {
          value: copied,
          enumerable: true,
          configurable: true,
          writable: true,
        });
      } else {
        result[name] = copied;
      }
    }
    return result;
  };

  try {
    const copied = copy(value, "", 0, "");
    return copied === undefined
      ? { ok: false, path: "", message: "undefined is not JSON" }
      : { ok: true, value: copied };
  } catch (error) {
    if (error instanceof NotPlain) return { ok: false, path: error.path, message: error.message };
    // A getter, a Proxy trap or toJSON threw: its message may say anything, so it is not repeated.
    return { ok: false, path: "", message: "reading it threw an error" };
  }
}
