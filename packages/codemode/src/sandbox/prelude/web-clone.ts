/* oxlint-disable unicorn/no-instanceof-builtins -- all objects here are of one realm */
/**
 * `structuredClone`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeClone(exception: () => new (message: string, name: string) => Error) {
  "use strict";
  const MAX_DEPTH = 10_000;
  const ERRORS = new Map<string, ErrorConstructor>([
    ["Error", Error],
    ["EvalError", EvalError],
    ["RangeError", RangeError],
    ["ReferenceError", ReferenceError],
    ["SyntaxError", SyntaxError],
    ["TypeError", TypeError],
    ["URIError", URIError],
  ]);

  function refuse(value: unknown): never {
    const what =
      typeof value === "function" ? "A function" : typeof value === "symbol" ? "A symbol" : "This object";
    throw new (exception())(`${what} cannot be cloned`, "DataCloneError");
  }

  function clone(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
    if (typeof value === "function" || typeof value === "symbol") refuse(value);
    if (typeof value !== "object" || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new RangeError("The value is nested too deeply to be cloned");
    const keep = <T extends object>(made: T): T => {
      seen.set(value, made);
      return made;
    };
    const inner = (item: unknown): unknown => clone(item, seen, depth + 1);
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (
      value instanceof Boolean ||
      value instanceof Number ||
      value instanceof String ||
      value instanceof BigInt
    ) {
      return keep(Object(value.valueOf()) as object);
    }
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (ArrayBuffer.isView(value)) {
      const buffer = inner(value.buffer) as ArrayBuffer;
      const View = value.constructor as new (buffer: ArrayBuffer, offset: number, length: number) => object;
      const length = value instanceof DataView ? value.byteLength : (value as Uint8Array).length;
      return keep(new View(buffer, value.byteOffset, length));
    }
    if (value instanceof Map) {
      const made = keep(new Map<unknown, unknown>());
      for (const [key, item] of value) made.set(inner(key), inner(item));
      return made;
    }
    if (value instanceof Set) {
      const made = keep(new Set<unknown>());
      for (const item of value) made.add(inner(item));
      return made;
    }
    if (value instanceof Error) {
      const name = ERRORS.has(value.name) ? value.name : "Error";
      const made = keep(new (ERRORS.get(name) ?? Error)(value.message));
      Object.defineProperty(made, "stack", {
        value: String(value.stack),
        configurable: true,
        writable: true,
      });
      if (Object.hasOwn(value, "cause")) {
        Object.defineProperty(made, "cause", {
          value: inner(value.cause),
          configurable: true,
          writable: true,
        });
      }
      return made;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) refuse(value);
    if (typeof WeakRef === "function" && value instanceof WeakRef) refuse(value);
    const made = keep(Array.isArray(value) ? ([] as object) : {});
    if (Array.isArray(value)) (made as unknown[]).length = value.length;
    for (const key of Object.keys(value)) {
      Object.defineProperty(made, key, {
        value: inner((value as Record<string, unknown>)[key]),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    }
    return made;
  }

  function structuredClone(value: unknown, options?: { readonly transfer?: Iterable<unknown> }): unknown {
    const moved = new Map<object, unknown>();
    for (const item of options?.transfer ?? []) {
      if (!(item instanceof ArrayBuffer)) refuse(item);
      moved.set(item, item.transfer());
    }
    return clone(value, moved, 0);
  }

  return { structuredClone };
}
