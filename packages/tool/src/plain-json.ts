/** Why a value is not plain JSON: where, and what stands there. */
export interface JsonFault {
  /** As it is written in code: `items[2].when`; the value itself is `value`. */
  readonly path: string;
  /** What was found and what to do instead. */
  readonly message: string;
}

/** Deepest nesting that leaves a tool. */
const maxJsonDepth = 256;

/**
 * Finds the first thing in a value that JSON would drop, change or refuse: `undefined`, NaN, Date, Map, BigInt, a
 * cycle, an accessor, a class instance. `undefined` is the answer for plain JSON. Runs no code of the value (a
 * Proxy's traps excepted, which are caught).
 */
export function findJsonFault(value: unknown): JsonFault | undefined {
  try {
    return walk(value);
  } catch {
    return { path: "value", message: "cannot be read" };
  }
}

interface Step {
  readonly value: unknown;
  readonly path: string;
  /** The containers around the value; a linked list, so that siblings share it. */
  readonly parents: Parents | undefined;
}

interface Parents {
  readonly value: object;
  readonly depth: number;
  readonly next: Parents | undefined;
}

// A list of its own instead of recursion: the value may be deeper than the stack.
function walk(root: unknown): JsonFault | undefined {
  const steps: Step[] = [{ value: root, path: "", parents: undefined }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const { value, path, parents } = step;
    const fault = (message: string): JsonFault => ({
      path: path === "" ? "value" : path.replace(/^\./, ""),
      message,
    });
    if (typeof value !== "object" || value === null) {
      const message = scalarFault(value);
      if (message !== undefined) return fault(message);
      continue;
    }
    const depth = (parents?.depth ?? 0) + 1;
    if (depth > maxJsonDepth) return fault(`is nested more than ${maxJsonDepth} levels deep`);
    for (let around = parents; around !== undefined; around = around.next) {
      if (around.value === value) return fault("is a cycle; refer to it by an id");
    }
    const message = containerFault(value);
    if (message !== undefined) return fault(message);
    const inside: Parents = { value, depth, next: parents };
    const found = pushChildren(value, path, inside, steps);
    if (found !== undefined) return { path: found.path.replace(/^\./, ""), message: found.message };
  }
  return undefined;
}

function pushChildren(value: object, path: string, parents: Parents, steps: Step[]): JsonFault | undefined {
  const children: Step[] = [];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const at = `${path}[${index}]`;
      const property = Object.getOwnPropertyDescriptor(value, index);
      if (property === undefined) return { path: at, message: "is a hole; use null" };
      if (!("value" in property)) return { path: at, message: "is an accessor; return its value" };
      children.push({ value: property.value, path: at, parents });
    }
  } else {
    for (const key of Reflect.ownKeys(value)) {
      const at = typeof key === "symbol" ? `${path}[${String(key)}]` : memberPath(path, key);
      if (typeof key === "symbol") return { path: at, message: "is a symbol key; use a string" };
      const property = Object.getOwnPropertyDescriptor(value, key);
      if (property === undefined) continue;
      if (!("value" in property)) return { path: at, message: "is an accessor; return its value" };
      if (key === "toJSON" && typeof property.value === "function") {
        return { path: at, message: "is a toJSON method; return what it gives" };
      }
      children.push({ value: property.value, path: at, parents });
    }
  }
  // Popped from the end: reversed, so that the first fault in reading order is the one that is told.
  for (let index = children.length - 1; index >= 0; index -= 1) {
    const child = children[index];
    if (child !== undefined) steps.push(child);
  }
  return undefined;
}

function memberPath(path: string, key: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}.${key}`;
  return `${path}[${JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key)}]`;
}

function scalarFault(value: unknown): string | undefined {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined;
    case "number":
      return Number.isFinite(value) ? undefined : `is ${String(value)}; use null or a string`;
    case "bigint":
      return "is a BigInt; use a string, or a number where it is safe";
    case "undefined":
      return "is undefined; leave the key out, or use null";
    case "function":
      return "is a function; return data";
    case "symbol":
      return "is a symbol; use a string";
    default:
      return undefined; // null
  }
}

function containerFault(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  // An object of another realm is plain when its prototype is the end of its chain.
  if (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  ) {
    return undefined;
  }
  const name = className(prototype);
  const instead = insteadOf.get(name);
  return `is a ${name}; ${instead ?? "return a plain object"}`;
}

function className(prototype: unknown): string {
  if (typeof prototype !== "object" || prototype === null) return "class instance";
  const property = Object.getOwnPropertyDescriptor(prototype, "constructor");
  const made: unknown = property !== undefined && "value" in property ? property.value : undefined;
  const name: unknown =
    typeof made === "function" ? Object.getOwnPropertyDescriptor(made, "name")?.value : undefined;
  return typeof name === "string" && /^\w{1,60}$/.test(name) ? name : "class instance";
}

const insteadOf: ReadonlyMap<string, string> = new Map([
  ["Date", "use toISOString()"],
  ["Map", "use Object.fromEntries()"],
  ["Set", "use an array"],
  ["RegExp", "use its source"],
  ["Error", "use its message"],
  ["Promise", "await it"],
  ["URL", "use its href"],
  ["Buffer", "use a base64 string"],
  ["Uint8Array", "use a base64 string"],
]);
