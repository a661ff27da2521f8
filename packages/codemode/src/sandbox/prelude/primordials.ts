/* oxlint-disable typescript/unbound-method, unicorn/no-thenable -- taking methods off their objects is what this file is for */
/**
 * The built-ins of the isolate as they were before the script ran. A script may replace every one of them: what
 * runs beside it uses only these, never an iterator, a spread, a method of a value or an index on an array that
 * inherits from `Array.prototype`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside itself.
 */
export function primordials() {
  "use strict";
  const bind = Function.prototype.bind;
  const callMethod = Function.prototype.call;
  /** Makes a function of a method: the receiver comes first. */
  const uncurry = <F extends (...args: never[]) => unknown>(method: F) =>
    Reflect.apply(bind, callMethod, [method]) as (self: unknown, ...args: Parameters<F>) => ReturnType<F>;
  const getter = (prototype: object, key: PropertyKey) => {
    const get = Reflect.getOwnPropertyDescriptor(prototype, key)?.get;
    return get === undefined ? undefined : uncurry(get as () => unknown);
  };
  const typedArray = Object.getPrototypeOf(Int8Array) as { prototype: object };
  const objectPrototype = Object.prototype;
  const arrayPrototype = Array.prototype;

  /** An array without a prototype: an index assignment on it reaches no setter of the script. */
  const setPrototypeOf = Reflect.setPrototypeOf;
  const list = <T>(): T[] => {
    const made: T[] = [];
    setPrototypeOf(made, null);
    return made;
  };

  return {
    __proto__: null,
    uncurry,
    list,
    apply: Reflect.apply,
    construct: Reflect.construct,
    ownKeys: Reflect.ownKeys,
    defineProperty: Reflect.defineProperty,
    getOwnPropertyDescriptor: Reflect.getOwnPropertyDescriptor,
    getPrototypeOf: Reflect.getPrototypeOf,
    setPrototypeOf,
    reflectGet: Reflect.get,
    create: Object.create,
    freeze: Object.freeze,
    objectKeys: Object.keys,
    symbolsOf: Object.getOwnPropertySymbols,
    hasOwn: Object.hasOwn,
    isArray: Array.isArray,
    isView: ArrayBuffer.isView,
    objectPrototype,
    arrayPrototype,
    stringify: JSON.stringify,
    parse: JSON.parse,
    String,
    Number,
    BigInt,
    Object,
    Symbol,
    Map,
    Set,
    WeakMap,
    WeakSet,
    Date,
    Promise,
    Proxy,
    Error,
    TypeError,
    RangeError,
    SyntaxError,
    ReferenceError,
    EvalError,
    URIError,
    AggregateError,
    ArrayBuffer,
    Uint8Array,
    DataView,
    RegExp,
    numberIsFinite: Number.isFinite,
    mathMax: Math.max,
    mathMin: Math.min,
    mathFloor: Math.floor,
    dateNow: Date.now,
    then: uncurry(Promise.prototype.then),
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapHas: uncurry(Map.prototype.has),
    mapDelete: uncurry(Map.prototype.delete),
    mapForEach: uncurry(Map.prototype.forEach),
    setAdd: uncurry(Set.prototype.add),
    setForEach: uncurry(Set.prototype.forEach),
    weakMapGet: uncurry(WeakMap.prototype.get),
    weakMapSet: uncurry(WeakMap.prototype.set),
    weakSetAdd: uncurry(WeakSet.prototype.add),
    weakSetHas: uncurry(WeakSet.prototype.has),
    mapSize: getter(Map.prototype, "size"),
    setSize: getter(Set.prototype, "size"),
    bufferLength: getter(ArrayBuffer.prototype, "byteLength"),
    /** Throws for a view of a buffer that was detached or has become too short. */
    viewLength: getter(DataView.prototype, "byteLength"),
    typedBuffer: getter(typedArray.prototype, "buffer"),
    typedLength: getter(typedArray.prototype, "length"),
    typedName: getter(typedArray.prototype, Symbol.toStringTag),
    dateGetTime: uncurry(Date.prototype.getTime),
    dateToISOString: uncurry(Date.prototype.toISOString),
    dateToJSON: Date.prototype.toJSON,
    numberValueOf: uncurry(Number.prototype.valueOf),
    stringValueOf: uncurry(String.prototype.valueOf),
    booleanValueOf: uncurry(Boolean.prototype.valueOf),
    bigintValueOf: uncurry(BigInt.prototype.valueOf),
    symbolValueOf: uncurry(Symbol.prototype.valueOf),
    regexpExec: uncurry(RegExp.prototype.exec),
    regexpSource: getter(RegExp.prototype, "source"),
    regexpFlags: getter(RegExp.prototype, "flags"),
    slice: uncurry(String.prototype.slice),
    indexOf: uncurry(String.prototype.indexOf),
    toLowerCase: uncurry(String.prototype.toLowerCase),
    charCodeAt: uncurry(String.prototype.charCodeAt),
    trim: uncurry(String.prototype.trim),
    repeat: uncurry(String.prototype.repeat),
    /** `true` for a real Error, whatever its prototype is now. */
    isError:
      typeof (Error as unknown as { isError?: unknown }).isError === "function"
        ? (Error as unknown as { isError: (value: unknown) => boolean }).isError
        : undefined,
  };
}

export type Primordials = ReturnType<typeof primordials>;
