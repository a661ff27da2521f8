import { shorten } from "./truncate.ts";

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
 * Finds a thing in a value that JSON would drop, change or refuse: `undefined`, NaN, Date, Map, BigInt, a
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

/** A container on the way, and the way to it. */
interface Step {
  readonly value: object;
  /** How it is reached from the container around it; `undefined` for the whole value. */
  readonly key: string | number | undefined;
  readonly around: Step | undefined;
  readonly depth: number;
}

// A list of its own instead of recursion: the value may be deeper than the stack.
function walk(root: unknown): JsonFault | undefined {
  if (!isContainer(root)) return faultAt(undefined, undefined, scalarFault(root));
  const steps: Step[] = [{ value: root, key: undefined, around: undefined, depth: 1 }];
  for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
    const message = stepFault(step);
    if (message !== undefined) return faultAt(step.around, step.key, message);
    const fault = Array.isArray(step.value) ? visitItems(step, step.value, steps) : visitMembers(step, steps);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function stepFault({ value, depth, around }: Step): string | undefined {
  if (depth > maxJsonDepth) return `is nested more than ${maxJsonDepth} levels deep`;
  for (let outer = around; outer !== undefined; outer = outer.around) {
    if (outer.value === value) return "is a cycle; refer to it by an id";
  }
  return containerFault(value);
}

function visitItems(step: Step, list: readonly unknown[], steps: Step[]): JsonFault | undefined {
  const first = steps.length;
  const extra = Reflect.ownKeys(list)[list.length + 1];
  for (let index = 0; index < list.length; index += 1) {
    const property = Object.getOwnPropertyDescriptor(list, index);
    if (property === undefined) return faultAt(step, index, "is a hole; use null");
    const fault = visit(step, index, property, steps);
    if (fault !== undefined) return fault;
  }
  // Own keys are the indices, `length`, then everything else, which JSON would drop.
  if (extra !== undefined) return faultAt(step, String(extra), "is a key of an array; use an object");
  reverseFrom(steps, first);
  return undefined;
}

function visitMembers(step: Step, steps: Step[]): JsonFault | undefined {
  const first = steps.length;
  for (const key of Reflect.ownKeys(step.value)) {
    if (typeof key === "symbol") return faultAt(step, `[${String(key)}]`, "is a symbol key; use a string");
    const property = Object.getOwnPropertyDescriptor(step.value, key);
    if (property === undefined) continue;
    const fault = visit(step, key, property, steps);
    if (fault !== undefined) return fault;
  }
  reverseFrom(steps, first);
  return undefined;
}

function visit(
  step: Step,
  key: string | number,
  property: PropertyDescriptor,
  steps: Step[],
): JsonFault | undefined {
  if (!("value" in property)) return faultAt(step, key, "is an accessor; return its value");
  if (property.enumerable !== true) return faultAt(step, key, "is not enumerable; return a plain object");
  const value: unknown = property.value;
  if (isContainer(value)) {
    steps.push({ value, key, around: step, depth: step.depth + 1 });
    return undefined;
  }
  if (key === "toJSON" && typeof value === "function") {
    return faultAt(step, key, "is a toJSON method; return what it gives");
  }
  const message = scalarFault(value);
  return message === undefined ? undefined : faultAt(step, key, message);
}

/** Steps are taken from the end: reversed, they are taken in reading order. */
function reverseFrom(steps: Step[], first: number): void {
  for (let low = first, high = steps.length - 1; low < high; low += 1, high -= 1) {
    const [a, b] = [steps[low], steps[high]];
    if (a !== undefined && b !== undefined) [steps[low], steps[high]] = [b, a];
  }
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function faultAt(
  around: Step | undefined,
  key: string | number | undefined,
  message: string | undefined,
): JsonFault | undefined {
  if (message === undefined) return undefined;
  if (key === undefined) return { path: "value", message };
  const parts = [memberPath(key)];
  for (let step = around; step?.key !== undefined; step = step.around) parts.unshift(memberPath(step.key));
  return { path: parts.join("").replace(/^\./, ""), message };
}

function memberPath(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  if (/^[A-Za-z_$][\w$]*$/.test(key)) return `.${key}`;
  return key.startsWith("[Symbol(") ? key : `[${JSON.stringify(shorten(key, 60))}]`;
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
  if (Array.isArray(value) || isPlainObject(value)) return undefined;
  const name = className(Object.getPrototypeOf(value));
  const instead = insteadOf.get(name);
  return `is a ${name}; ${instead ?? "return a plain object"}`;
}

/** An object without a class: its prototype is `null`, or `Object.prototype` of this or of another realm. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return true;
  // In another realm it is the end of the chain too.
  return (
    typeof prototype === "object" &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, "isPrototypeOf")
  );
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
