import type { JsonValue } from "@nestbox/tool";

/** Where a part stands in a value: the keys from the value itself. */
export type ValuePath = readonly (string | number)[];

export interface PlainOptions {
  /** Takes bytes (`Uint8Array`, `ArrayBuffer`, `DataView`), for which `null` stands in the value; unset: as JSON has them. */
  readonly takeBytes?: (path: ValuePath, bytes: Uint8Array) => void;
  /** Told of everything that JSON cannot carry, at most {@link MAX_MENTIONS} times for a value. */
  readonly mention?: (path: ValuePath, problem: string) => void;
}

/** Problems of one value that are told; more are left to the reader. */
export const MAX_MENTIONS = 20;
const MAX_DEPTH = 512;
/** Nodes that are looked at for values that JSON would lose; larger ones are taken as the JSON they claim to be. */
const MAX_CHECKED = 20_000;
/** Objects without members that are asked whether they are something else: asking throws inside. */
const MAX_PROBES = 1_000;
/** Items of one array. A longer one is a slip of an index, nearly always: reading its holes would hold up the host. */
const MAX_ITEMS = 16_777_216;

const getterOf = (prototype: object, key: string): (() => unknown) | undefined =>
  // oxlint-disable-next-line typescript/unbound-method -- taken off its object on purpose
  Reflect.getOwnPropertyDescriptor(prototype, key)?.get;
const MAP_SIZE = getterOf(Map.prototype, "size");
const SET_SIZE = getterOf(Set.prototype, "size");
const REGEXP_SOURCE = getterOf(RegExp.prototype, "source");

/** Whether JSON would lose something of a value. Throws what its getters and traps throw. */
export function needsCare(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return isLost(value);
  const queue: object[] = [value];
  let probes = 0;
  for (let index = 0; index < queue.length; index++) {
    const item = queue[index] as object;
    const isList = Array.isArray(item);
    // Before its members are listed: bytes have millions, and not every engine lists them quickly.
    if (!isList && !isPlain(item) && !(item instanceof Date && !Number.isNaN(item.getTime()))) return true;
    const children: readonly unknown[] = isList ? item : Object.values(item);
    if (isList && children.length > MAX_ITEMS) return true;
    if (!isList) {
      if (Object.getOwnPropertySymbols(item).length > 0) return true;
      if (children.length === 0 && ++probes <= MAX_PROBES && kindOf(item) !== undefined) return true;
    }
    for (const child of children) {
      if (typeof child === "object") {
        // What is not going to be looked at is not kept.
        if (child !== null && queue.length < MAX_CHECKED) queue.push(child);
      } else if (isLost(child)) return true;
    }
  }
  return false;
}

/** A primitive that JSON leaves out, refuses or changes. */
function isLost(value: unknown): boolean {
  switch (typeof value) {
    case "bigint":
    case "function":
    case "symbol":
      return true;
    case "number":
      return !Number.isFinite(value);
    default:
      return false;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** What an object is, whatever its prototype or realm; undefined for all others. */
function kindOf(value: object): "map" | "set" | "date" | "regexp" | "boxed" | undefined {
  const has = (test: (() => unknown) | undefined): boolean => {
    try {
      if (test !== undefined) Reflect.apply(test, value, []);
      return test !== undefined;
    } catch {
      return false;
    }
  };
  if (has(MAP_SIZE)) return "map";
  if (has(SET_SIZE)) return "set";
  // oxlint-disable-next-line typescript/unbound-method -- called with the value
  if (has(Date.prototype.getTime)) return "date";
  if (value !== RegExp.prototype && has(REGEXP_SOURCE)) return "regexp";
  return unboxed(value) === undefined ? undefined : "boxed";
}

/** The primitive inside of `Object(1)`. */
function unboxed(value: object): unknown {
  for (const { prototype } of [Number, String, Boolean, BigInt]) {
    try {
      // oxlint-disable-next-line typescript/unbound-method -- called with the value
      return Reflect.apply(prototype.valueOf, value, []);
    } catch {
      // Another kind.
    }
  }
  return undefined;
}

function regexpText(value: object): string {
  const source: unknown = REGEXP_SOURCE === undefined ? "" : Reflect.apply(REGEXP_SOURCE, value, []);
  const flags: unknown = Reflect.get(value, "flags");
  return `/${String(source)}/${typeof flags === "string" ? flags : ""}`;
}

/** A function that says itself what it is as JSON; `nested` tells what its getter throws. */
function hasJson(value: object): boolean {
  try {
    return typeof Reflect.get(value, "toJSON") === "function";
  } catch {
    return false;
  }
}

/** Entries of a Map or Set that may have no method of its own any more. */
function entriesOf(value: object, kind: "map" | "set"): (readonly [key: unknown, item: unknown])[] {
  const found: (readonly [unknown, unknown])[] = [];
  // oxlint-disable-next-line typescript/unbound-method -- called with the value
  const each = kind === "map" ? Map.prototype.forEach : Set.prototype.forEach;
  Reflect.apply(each as (visit: (item: unknown, key: unknown) => void) => void, value, [
    (item: unknown, key: unknown) => found.push([key, item]),
  ]);
  return found;
}

/** The bytes of what holds some: none of a buffer that is detached, or has become too short for its view. */
function bytesOf(value: object): Uint8Array | undefined {
  const isBuffer = value instanceof ArrayBuffer;
  if (!isBuffer && !(value instanceof Uint8Array || value instanceof DataView)) return undefined;
  try {
    return isBuffer
      ? new Uint8Array(value)
      : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  } catch {
    return new Uint8Array(0);
  }
}

/**
 * Plain JSON of anything a tool may return: never throws, never recurses past 512 levels. Map and Set become arrays,
 * Date, RegExp and BigInt text, an Error its name, message and fields, a boxed primitive what is inside. What cannot
 * be carried is mentioned.
 */
export function plainValue(input: unknown, { takeBytes, mention }: PlainOptions = {}): JsonValue | undefined {
  const path: (string | number)[] = [];
  const parents: object[] = [];
  let mentions = 0;

  const tell = (problem: string): void => {
    if (++mentions <= MAX_MENTIONS) mention?.([...path], problem);
  };

  const at = (value: unknown, ...keys: (string | number)[]): JsonValue | undefined => {
    path.push(...keys);
    const plain = read(value);
    path.length -= keys.length;
    return plain;
  };

  /** A member, whose getter may throw. */
  const member = (value: object, key: string): JsonValue | undefined => {
    let item: unknown;
    path.push(key);
    try {
      item = Reflect.get(value, key);
    } catch (error) {
      tell(`could not be read (${describe(error)}): it became null`);
      item = null;
    }
    path.pop();
    return at(item, key);
  };

  function read(value: unknown): JsonValue | undefined {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        if (!Number.isFinite(value)) tell(`is ${value}, which JSON writes as null`);
        return Number.isFinite(value) ? value : null;
      case "bigint":
        return String(value);
      case "object":
        return value === null ? null : nested(value);
      case "undefined":
        return undefined;
      case "function":
        if (hasJson(value)) return nested(value);
        tell("is a function and was left out");
        return undefined;
      default:
        tell(`is a ${typeof value} and was left out`);
        return undefined;
    }
  }

  /** `asked`: the value is what a `toJSON` answered; its own is not called. */
  function nested(value: object, asked = false): JsonValue | undefined {
    if (parents.includes(value) || parents.length >= MAX_DEPTH) {
      const cyclic = parents.includes(value);
      tell(cyclic ? "refers back to a value that holds it" : `is deeper than ${MAX_DEPTH} levels`);
      return cyclic ? "[Circular]" : "[…]";
    }
    parents.push(value);
    const depth = path.length;
    try {
      return object(value, asked);
    } catch (error) {
      path.length = depth;
      tell(`could not be read (${describe(error)}): it became null`);
      return null;
    } finally {
      parents.pop();
    }
  }

  function object(value: object, asked: boolean): JsonValue | undefined {
    const bytes = takeBytes === undefined ? undefined : bytesOf(value);
    if (bytes !== undefined) {
      takeBytes?.([...path], bytes);
      return null;
    }
    if (Array.isArray(value)) return array(value as readonly unknown[]);
    const toJson: unknown = asked ? undefined : Reflect.get(value, "toJSON");
    const plain = isPlain(value);
    if (typeof toJson === "function" && !(value instanceof Date)) {
      const json: unknown = Reflect.apply(toJson, value, [path.at(-1) ?? ""]);
      if (json === value) return object(value, true);
      return typeof json === "object" && json !== null ? nested(json, true) : read(json);
    }
    const empty = Object.keys(value).length === 0;
    const kind = plain && !empty ? undefined : kindOf(value);
    if (kind === "map") return list(entriesOf(value, kind));
    if (kind === "set") return list(entriesOf(value, kind).map(([, item]) => item));
    if (kind === "date") return date(value);
    if (kind === "regexp") return regexpText(value);
    if (kind === "boxed") return read(unboxed(value));
    if (value instanceof Promise) {
      tell("is a promise, which no result can carry: it became null");
      return null;
    }
    return members(value, plain);
  }

  function array(items: readonly unknown[]): JsonValue {
    // Asked once: a Proxy may answer anything, and another thing the next time.
    const { length } = items;
    if (length <= MAX_ITEMS) return Array.from({ length }, (_, index) => at(items[index], index) ?? null);
    tell(`is an array of ${length} items, more than ${MAX_ITEMS}: it became null`);
    return null;
  }

  function list(items: readonly unknown[]): JsonValue {
    return Array.from(items, (item, index) => at(item, index) ?? null);
  }

  function date(value: object): JsonValue {
    // oxlint-disable-next-line typescript/unbound-method -- called with the value
    const time: unknown = Reflect.apply(Date.prototype.getTime, value, []);
    if (typeof time === "number" && Number.isFinite(time)) return new Date(time).toISOString();
    tell("is an invalid Date, which JSON writes as null");
    return null;
  }

  function members(value: object, plain: boolean): JsonValue {
    const out: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
    const isError = value instanceof Error;
    const hidden = isError
      ? [
          "name",
          "message",
          ...["cause", "errors", "error", "suppressed"].filter((key) => Object.hasOwn(value, key)),
        ]
      : [];
    let kept = 0;
    for (const key of new Set([...hidden, ...Object.keys(value)])) {
      const item = member(value, key);
      if (item === undefined) continue;
      out[key] = item;
      kept++;
    }
    const symbols = Object.getOwnPropertySymbols(value);
    if (symbols.some((symbol) => Object.prototype.propertyIsEnumerable.call(value, symbol)))
      tell("has members under symbols, which were left out");
    else if (kept === 0 && !plain && !ArrayBuffer.isView(value))
      tell("has nothing that JSON can carry: it became {}");
    return out;
  }

  return at(input);
}

function describe(error: unknown): string {
  try {
    return String(error);
  } catch {
    return "an error that cannot be described";
  }
}
