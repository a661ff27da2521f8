/**
 * `structuredClone`. What an object is decides its copy, whatever prototype or tag it claims; what the platform cannot
 * copy is refused, never an empty object. A Proxy cannot be told from what it shows and is copied as that.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 *
 * `ours` says whether a prototype belongs to one of the classes of the web that are made here.
 */
export function makeClone(
  exception: () => new (message: string, name: string) => Error,
  ours: (prototype: object) => boolean,
) {
  "use strict";
  const MAX_DEPTH = 10_000;
  /** Plain objects without members of which one clone asks whether they are something else: asking throws inside. */
  const MAX_PROBES = 1_000;
  let probes = 0;
  type Read = (this: unknown) => unknown;
  type Kind = "date" | "regexp" | "map" | "set" | "buffer" | "boxed" | "error" | "refused";

  const getterOf = (prototype: object, key: PropertyKey): Read =>
    // oxlint-disable-next-line typescript/unbound-method -- taken off its object on purpose
    Reflect.getOwnPropertyDescriptor(prototype, key)?.get as Read;
  const typedPrototype = Reflect.getPrototypeOf(Uint8Array.prototype) as object;
  const typedName = getterOf(typedPrototype, Symbol.toStringTag);
  const { isError } = Error as unknown as { readonly isError: (this: void, value: unknown) => boolean };

  /** Reads what only an object of its kind has; every other one throws. */
  /* oxlint-disable typescript/unbound-method -- taken off their objects on purpose */
  const READS: readonly (readonly [Kind, object, Read])[] = [
    ["date", Date.prototype, Date.prototype.getTime],
    ["regexp", RegExp.prototype, getterOf(RegExp.prototype, "source")],
    ["map", Map.prototype, getterOf(Map.prototype, "size")],
    ["set", Set.prototype, getterOf(Set.prototype, "size")],
    ["buffer", ArrayBuffer.prototype, getterOf(ArrayBuffer.prototype, "byteLength")],
    ["boxed", Number.prototype, Number.prototype.valueOf],
    ["boxed", String.prototype, String.prototype.valueOf],
    ["boxed", Boolean.prototype, Boolean.prototype.valueOf],
    ["boxed", BigInt.prototype, BigInt.prototype.valueOf],
  ];
  const forEachOf = { map: Map.prototype.forEach, set: Set.prototype.forEach };
  const bufferSlice = ArrayBuffer.prototype.slice;
  /* oxlint-enable typescript/unbound-method */
  const byPrototype = new Map<object, (typeof READS)[number]>(READS.map((entry) => [entry[1], entry]));
  type View = new (buffer: ArrayBuffer, offset: number, length?: number) => object;
  let views: ReadonlyMap<string, View> | undefined;
  let refused: ReadonlySet<object> | undefined;

  /** Constructors of typed arrays by name; made when the first one is cloned. */
  function viewsByName(): ReadonlyMap<string, View> {
    const found = new Map<string, View>();
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const value: unknown = Reflect.getOwnPropertyDescriptor(globalThis, name)?.value;
      if (typeof value !== "function" || !name.endsWith("Array") || name === "Array") continue;
      if (Reflect.getPrototypeOf(value.prototype as object) === typedPrototype)
        found.set(name, value as View);
    }
    return found;
  }

  /** Prototypes of what the platform cannot copy; made when the first object of another kind is cloned. */
  function refusedPrototypes(): ReadonlySet<object> {
    const found = new Set<object>();
    const add = (holder: object, name: string): void => {
      const value: unknown = Reflect.getOwnPropertyDescriptor(holder, name)?.value;
      const prototype: unknown = typeof value === "function" ? (value.prototype as unknown) : undefined;
      if (typeof prototype === "object" && prototype !== null) found.add(prototype);
    };
    for (const name of [
      "Promise",
      "WeakMap",
      "WeakSet",
      "WeakRef",
      "FinalizationRegistry",
      "Symbol",
      "Iterator",
      "DisposableStack",
      "AsyncDisposableStack",
    ])
      add(globalThis, name);
    const { Intl: intl, Temporal: temporal } = globalThis as unknown as Readonly<Record<string, unknown>>;
    for (const holder of [intl, temporal]) {
      if (typeof holder !== "object" || holder === null) continue;
      for (const name of Object.getOwnPropertyNames(holder)) add(holder, name);
    }
    const asyncGenerator = Reflect.getPrototypeOf(async function* () {}.prototype as object) as object;
    found.add(Reflect.getPrototypeOf(asyncGenerator) as object);
    return found;
  }

  const ERRORS = new Map<string, ErrorConstructor>([
    ["Error", Error],
    ["EvalError", EvalError],
    ["RangeError", RangeError],
    ["ReferenceError", ReferenceError],
    ["SyntaxError", SyntaxError],
    ["TypeError", TypeError],
    ["URIError", URIError],
  ]);

  function refuse(what: string): never {
    throw new (exception())(`${what} cannot be cloned`, "DataCloneError");
  }

  function answers(read: Read, value: object): boolean {
    try {
      Reflect.apply(read, value, []);
      return true;
    } catch {
      return false;
    }
  }

  /** What an object is; undefined: its members are all there is to it. */
  function kindOf(value: object): Kind | undefined {
    if (isError(value)) return "error";
    let at: object | null = Reflect.getPrototypeOf(value);
    const isPlain = at === null || at === Object.prototype;
    let claims = false;
    for (let steps = 0; at !== null && steps < 100; steps++) {
      const entry = byPrototype.get(at);
      if (entry !== undefined && answers(entry[2], value)) return entry[0];
      claims ||= entry !== undefined;
      if (at !== Object.prototype && (ours(at) || (refused ??= refusedPrototypes()).has(at)))
        return "refused";
      at = Reflect.getPrototypeOf(at);
    }
    if ((!isPlain && !claims) || Object.keys(value).length > 0) return undefined;
    if (!claims && ++probes > MAX_PROBES) return undefined;
    // Without members: it may have lost the prototype of what it is, or be a Proxy of what it claims to be.
    return READS.find(([, , read]) => answers(read, value))?.[0] ?? (claims ? "refused" : undefined);
  }

  function copyBuffer(buffer: ArrayBuffer): ArrayBuffer {
    if (buffer.detached) refuse("A detached ArrayBuffer");
    if (!buffer.resizable) return Reflect.apply(bufferSlice, buffer, [0]);
    const made = new ArrayBuffer(buffer.byteLength, { maxByteLength: buffer.maxByteLength });
    new Uint8Array(made).set(new Uint8Array(buffer));
    return made;
  }

  function clone(value: unknown, seen: Map<object, unknown>, depth: number): unknown {
    if (typeof value === "function") refuse("A function");
    if (typeof value === "symbol") refuse("A symbol");
    if (typeof value !== "object" || value === null) return value;
    const known = seen.get(value);
    if (known !== undefined) return known;
    if (depth > MAX_DEPTH) throw new RangeError("The value is nested too deeply to be cloned");
    const keep = <T extends object>(made: T): T => {
      seen.set(value, made);
      return made;
    };
    const inner = (item: unknown): unknown => clone(item, seen, depth + 1);
    const members = (from: object, made: object): object => {
      for (const key of Object.keys(from)) {
        // A getter before it may have taken it away.
        if (!Object.hasOwn(from, key)) continue;
        define(made, key, inner((from as Record<string, unknown>)[key]), true);
      }
      return made;
    };
    if (Array.isArray(value)) {
      const made = keep([] as unknown[]);
      made.length = value.length;
      return members(value, made);
    }
    if (ArrayBuffer.isView(value)) return view(value, inner, keep);
    const kind = kindOf(value);
    switch (kind) {
      case undefined:
        return members(value, keep({}));
      case "date":
        return keep(new Date(Reflect.apply(READS[0]?.[2] as Read, value, []) as number));
      case "regexp": {
        const { source, flags } = value as RegExp;
        return keep(new RegExp(source, flags));
      }
      case "boxed": {
        const read = READS.find((entry) => entry[0] === "boxed" && answers(entry[2], value))?.[2] as Read;
        return keep(Object(Reflect.apply(read, value, [])) as object);
      }
      case "buffer":
        return keep(copyBuffer(value as ArrayBuffer));
      case "map":
      case "set":
        return collection(value, kind, inner, keep);
      case "error":
        return error(value as Error, inner, keep);
      case "refused":
        return refuse(Object.prototype.toString.call(value));
    }
  }

  function define(target: object, key: string, value: unknown, enumerable: boolean): void {
    Object.defineProperty(target, key, { value, enumerable, writable: true, configurable: true });
  }

  type Inner = (item: unknown) => unknown;
  type Keep = <T extends object>(made: T) => T;

  function collection(value: object, kind: "map" | "set", inner: Inner, keep: Keep): object {
    const entries: (readonly [key: unknown, item: unknown])[] = [];
    Reflect.apply(forEachOf[kind] as (visit: (item: unknown, key: unknown) => void) => void, value, [
      (item: unknown, key: unknown) => entries.push([key, item]),
    ]);
    if (kind === "set") {
      const made = keep(new Set<unknown>());
      for (const [key] of entries) made.add(inner(key));
      return made;
    }
    const made = keep(new Map<unknown, unknown>());
    for (const [key, item] of entries) made.set(inner(key), inner(item));
    return made;
  }

  function view(value: ArrayBufferView, inner: Inner, keep: Keep): object {
    const name = Reflect.apply(typedName, value, []) as string | undefined;
    const read = (key: string): unknown =>
      Reflect.apply(getterOf(name === undefined ? DataView.prototype : typedPrototype, key), value, []);
    const source = read("buffer") as ArrayBuffer;
    const buffer = inner(source) as ArrayBuffer;
    const offset = read("byteOffset") as number;
    // A view that reaches the end of a buffer that may grow goes on with it.
    const follows = source.resizable && offset + (read("byteLength") as number) === source.byteLength;
    const length = follows ? undefined : (read(name === undefined ? "byteLength" : "length") as number);
    if (name === undefined) return keep(new DataView(buffer, offset, length));
    const Constructor = (views ??= viewsByName()).get(name);
    return Constructor === undefined ? refuse(`A ${name}`) : keep(new Constructor(buffer, offset, length));
  }

  function error(value: Error, inner: Inner, keep: Keep): object {
    const { name, message, stack } = value as unknown as Readonly<Record<string, unknown>>;
    const own = Object.hasOwn(value, "message") ? String(message) : undefined;
    const Constructor = ERRORS.get(String(name)) ?? Error;
    const made = keep(
      value instanceof exception() ? new (exception())(String(message), String(name)) : new Constructor(own),
    );
    define(made, "stack", String(stack), false);
    if (Object.hasOwn(value, "cause")) define(made, "cause", inner(value.cause), false);
    return made;
  }

  function structuredClone(
    value: unknown,
    options?: { readonly transfer?: Iterable<unknown> } | null,
  ): unknown {
    if (arguments.length === 0) throw new TypeError("structuredClone() expects a value");
    const moved = new Set<ArrayBuffer>();
    for (const item of options?.transfer ?? []) {
      const isBuffer = typeof item === "object" && item !== null && kindOf(item) === "buffer";
      if (!isBuffer) refuse("What is no ArrayBuffer");
      const buffer = item as ArrayBuffer;
      if (buffer.detached || moved.has(buffer)) refuse("A buffer that is detached or named twice");
      moved.add(buffer);
    }
    probes = 0;
    const made = clone(value, new Map<object, unknown>(), 0);
    // Only when nothing can fail any more.
    for (const buffer of moved) buffer.transfer(0);
    return made;
  }

  return { structuredClone };
}
