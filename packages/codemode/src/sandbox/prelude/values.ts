import type { Primordials } from "./primordials.ts";

/** What a script's value becomes when it leaves: nothing, a string as it is, or JSON text. */
export type Encoded =
  | { readonly kind: "undefined" }
  | { readonly kind: "string"; readonly text: string }
  | { readonly kind: "json"; readonly text: string };

export interface EncodeOptions {
  /** How the value is called in an error, for example `the returned value`. */
  readonly what: string;
  /** Console lines show what cannot be JSON instead of refusing it. Never left out: a script's prototype has no say. */
  readonly lenient: boolean;
}

/**
 * Reads values of the script exactly once, into plain data, and makes JSON of it.
 *
 * Date → ISO text; Map → array of entries; Set → array; Error → `{ name, message, … }`; RegExp → its text;
 * ArrayBuffer and DataView → array of bytes; typed arrays as JSON has them. BigInt, promises, cycles and too much
 * depth are errors that name the path. Functions, symbols, members under symbols, numbers that JSON lacks and objects
 * of which nothing is left are mentioned to `warn`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeValues(P: Primordials, warn: (message: string) => void) {
  "use strict";
  const limits = { depth: 512, chars: 64 * 1024 * 1024 };
  const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
  const isPlainKey = (key: string) => P.regexpExec(IDENTIFIER, key) !== null;
  const MAX_WARNINGS = 20;
  /** Plain objects without members of which one value asks whether they are something else: asking throws inside. */
  const MAX_PROBES = 1000;

  function brand(test: unknown, value: unknown): boolean {
    if (test === undefined) return false;
    try {
      (test as (self: unknown) => unknown)(value);
      return true;
    } catch {
      return false;
    }
  }

  /** Walks the chain itself: `instanceof` would ask the script's `Symbol.hasInstance`. */
  function inherits(value: object, prototype: object): boolean {
    let at: object | null = value;
    for (let i = 0; at !== null && i < 100; i++) {
      if (at === prototype) return true;
      at = P.getPrototypeOf(at);
    }
    return false;
  }

  /** Real errors, and objects that were given the prototype of one, as older code writes its own kinds. */
  const isError = (value: object): boolean => {
    if (P.isError !== undefined && P.isError(value)) return true;
    try {
      return inherits(value, P.Error.prototype);
    } catch {
      return false;
    }
  };

  const isPromise = (value: object): boolean => inherits(value, P.Promise.prototype);

  const tooLarge = (what: string): RangeError =>
    new P.RangeError(what + " is larger than the limit of " + limits.chars + " characters of JSON");

  /** The length that a Proxy or a getter tells may be anything; a sum must stay a number. */
  function lengthOf(value: unknown): number {
    const length = P.mathFloor(P.Number(value));
    return length > 0 ? length : 0;
  }

  /** An object whose members were read up to one that is more than a word; nothing is read twice. */
  interface Begun {
    readonly kind: "begun";
    readonly toJSON: unknown;
    /** Undefined: none of its members was read. */
    readonly names: readonly string[] | undefined;
    /** The members before `at`, as JSON without its end. */
    readonly text: string;
    readonly kept: number;
    readonly chars: number;
    readonly at: number;
    /** The value of the member at `at`, which has been read. */
    readonly item: unknown;
  }

  /** `{ a: 1, b: "x" }`, what nearly all arguments are: its text without a copy between. */
  function flat(value: object, what: string): Encoded | Begun {
    const toJSON = (value as { toJSON?: unknown }).toJSON;
    const begun = (names?: readonly string[], text = "{", kept = 0, chars = 0, at = 0, item?: unknown) =>
      ({ kind: "begun", toJSON, names, text, kept, chars, at, item }) satisfies Begun;
    if (typeof toJSON === "function" || P.isArray(value)) return begun();
    const prototype = P.getPrototypeOf(value);
    if (prototype !== P.objectPrototype && prototype !== null) return begun();
    const names = P.objectKeys(value);
    let text = "{";
    let kept = 0;
    let chars = 0;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      const item = (value as Record<string, unknown>)[name];
      let word: string;
      if (typeof item === "string") {
        chars += item.length + 3;
        if (chars > limits.chars) throw tooLarge(what);
        word = P.stringify(item);
      } else if (typeof item === "number" && P.numberIsFinite(item)) {
        chars += 4;
        word = P.String(item);
      } else if (item === null || typeof item === "boolean") {
        chars += 5;
        word = P.String(item);
      } else if (item === undefined) {
        chars += 5;
        continue;
      } else return begun(names, text, kept, chars, i, item);
      chars += name.length + 4;
      if (chars > limits.chars) throw tooLarge(what);
      text += (kept++ === 0 ? "" : ",") + P.stringify(name) + ":" + word;
    }
    // Nothing kept, or members under symbols: there is more to say than its text.
    if (kept === 0 || P.symbolsOf(value).length > 0)
      return begun(names, text, kept, chars, names.length, undefined);
    return { kind: "json", text: text + "}" };
  }

  function encode(input: unknown, options: EncodeOptions): Encoded {
    if (typeof input === "string") {
      if (input.length > limits.chars) throw tooLarge(options.what);
      return { kind: "string", text: input };
    }
    if (typeof input !== "object" || input === null || options.lenient)
      return encodeAny(input, options, undefined);
    const read = flat(input, options.what);
    return read.kind === "begun" ? encodeAny(input, options, read) : read;
  }

  function encodeAny(input: unknown, options: EncodeOptions, begun: Begun | undefined): Encoded {
    const keys = P.list<string | undefined>();
    const parents = P.list<object>();
    let depth = 0;
    let chars = 0;
    let warnings = 0;
    let probes = 0;
    /** The text is a value's own, not a string that it stands for: shown without quotes. */
    let bare = false;
    const lenient = options.lenient;

    const path = (): string => {
      let text = "";
      for (let i = 0; i < depth; i++) {
        const key = keys[i];
        // The value itself is meant, none of its members.
        if (key === undefined) continue;
        if (key[0] === "[") text += key;
        else text += isPlainKey(key) ? (text === "" ? key : "." + key) : "[" + P.stringify(key) + "]";
        if (text.length > 400) return P.slice(text, 0, 400) + "…";
      }
      return text;
    };
    const where = (): string => {
      const at = path();
      return at === "" ? options.what : at + " of " + options.what;
    };
    const mention = (problem: string): void => {
      if (lenient) return;
      if (++warnings <= MAX_WARNINGS) warn(where() + " " + problem);
      else if (warnings === MAX_WARNINGS + 1) warn("more of " + options.what + " was left out");
    };
    const count = (size: number): void => {
      chars += size;
      if (chars > limits.chars) throw tooLarge(options.what);
    };

    function primitive(value: unknown): unknown {
      switch (typeof value) {
        case "string":
          count(value.length + 3);
          return value;
        case "number":
          count(4);
          if (!P.numberIsFinite(value)) mention("is " + P.String(value) + ", which JSON writes as null");
          return value;
        case "bigint":
          if (lenient) return P.String(value) + "n";
          throw new P.TypeError(
            where() + " is a BigInt, which JSON cannot carry: use String(value) or Number(value)",
          );
        case "symbol":
          if (lenient) return P.String(value);
          mention("is a symbol and was left out");
          return undefined;
        case "function":
          if (lenient) return undefined;
          mention("is a function and was left out");
          return undefined;
        default:
          count(5);
          return value;
      }
    }

    function descend(value: object, visit: () => unknown): unknown {
      for (let i = 0; i < depth; i++) {
        if (parents[i] === value) {
          if (lenient) return "[Circular]";
          throw new P.TypeError(
            path() +
              " of " +
              options.what +
              " refers back to " +
              (i === 0 ? "the value itself" : "a value that holds it") +
              ": JSON cannot carry a cycle",
          );
        }
      }
      if (depth >= limits.depth) {
        if (lenient) return "[…]";
        throw new P.RangeError(
          options.what + " is nested deeper than the limit of " + limits.depth + " levels",
        );
      }
      parents[depth] = value;
      keys[depth] = undefined;
      depth++;
      const result = visit();
      depth--;
      return result;
    }

    function elements(length: number, read: (index: number) => unknown, indexKey: boolean): unknown {
      const out = P.list<unknown>();
      // Before the first one: a sparse array of four billion is refused at once.
      count(length);
      for (let i = 0; i < length; i++) {
        if (indexKey) keys[depth - 1] = "[" + i + "]";
        const item = plain(read(i), "" + i);
        out[i] = item === undefined ? null : item;
      }
      return out;
    }

    /** Reads the members into `out`, from where another reading has stopped; how many there were to keep. */
    function members(value: object, out: Record<string, unknown>, from?: Begun): number {
      let kept = 0;
      const names = from?.names ?? P.objectKeys(value);
      const first = from?.at ?? 0;
      for (let i = first; i < names.length; i++) {
        const name = names[i] as string;
        keys[depth - 1] = name;
        const read = from !== undefined && i === first ? from.item : (value as Record<string, unknown>)[name];
        const item = plain(read, name);
        if (item !== undefined) {
          count(name.length + 4);
          out[name] = item;
          kept++;
        }
      }
      return kept;
    }

    function errorMembers(error: Error): unknown {
      const out = P.create(null) as Record<string, unknown>;
      keys[depth - 1] = "name";
      out["name"] = plain(P.String(error.name), "name");
      keys[depth - 1] = "message";
      out["message"] = plain(P.String(error.message), "message");
      hiddenMember(error, "cause", out);
      hiddenMember(error, "errors", out);
      // Of a SuppressedError.
      hiddenMember(error, "error", out);
      hiddenMember(error, "suppressed", out);
      members(error, out);
      return out;
    }

    function hiddenMember(error: Error, key: string, out: Record<string, unknown>): void {
      if (!P.hasOwn(error, key)) return;
      keys[depth - 1] = key;
      const item = plain((error as unknown as Record<string, unknown>)[key], key);
      if (item !== undefined) out[key] = item;
    }

    function special(value: object): { readonly value: unknown } | undefined {
      if (P.mapSize !== undefined && brand(P.mapSize, value)) {
        const entries = P.list<unknown[]>();
        let n = 0;
        P.mapForEach(value, (item: unknown, key: unknown) => {
          const pair = P.list<unknown>();
          pair[0] = key;
          pair[1] = item;
          entries[n++] = pair;
        });
        return { value: descend(value, () => elements(n, (i) => entries[i], true)) };
      }
      if (P.setSize !== undefined && brand(P.setSize, value)) {
        const items = P.list<unknown>();
        let n = 0;
        P.setForEach(value, (item: unknown) => {
          items[n++] = item;
        });
        return { value: descend(value, () => elements(n, (i) => items[i], true)) };
      }
      if (isError(value)) return { value: descend(value, () => errorMembers(value as Error)) };
      if (brand(P.bufferLength, value)) {
        // A detached buffer has no bytes, and no view can be made of it.
        if (P.bufferLength?.(value) === 0) return { value: [] };
        const bytes = new P.Uint8Array(value as ArrayBuffer);
        return { value: descend(value, () => elements(bytes.length, (i) => bytes[i], true)) };
      }
      if (P.isView(value) && P.typedName?.(value) === undefined) {
        if (!brand(P.viewLength, value)) return { value: [] };
        const view = value as DataView;
        const bytes = new P.Uint8Array(view.buffer, view.byteOffset, view.byteLength);
        return { value: descend(value, () => elements(bytes.length, (i) => bytes[i], true)) };
      }
      if (brand(P.numberValueOf, value)) return { value: primitive(P.numberValueOf(value)) };
      if (brand(P.stringValueOf, value)) return { value: primitive(P.stringValueOf(value)) };
      if (brand(P.booleanValueOf, value)) return { value: primitive(P.booleanValueOf(value)) };
      if (brand(P.bigintValueOf, value)) {
        bare = true;
        return { value: primitive(P.bigintValueOf(value)) };
      }
      if (brand(P.dateGetTime, value)) return { value: time(value) };
      if (brand(P.regexpSource, value) && value !== P.RegExp.prototype) {
        bare = true;
        return {
          value: primitive("/" + P.String(P.regexpSource?.(value)) + "/" + P.String(P.regexpFlags?.(value))),
        };
      }
      if (isPromise(value)) {
        bare = true;
        if (lenient) return { value: "[Promise]" };
        throw new P.TypeError(where() + " is a promise that was not awaited");
      }
      return undefined;
    }

    /** Members under symbols that a copy would have: the engine's own, such as an iterator of arguments, are none. */
    function hasSymbols(value: object): boolean {
      const symbols = P.symbolsOf(value);
      for (let i = 0; i < symbols.length; i++) {
        if (P.getOwnPropertyDescriptor(value, symbols[i] as symbol)?.enumerable === true) return true;
      }
      return false;
    }

    function time(date: object): unknown {
      if (P.numberIsFinite(P.dateGetTime(date))) return primitive(P.dateToISOString(date));
      mention("is an invalid Date, which JSON writes as null");
      return null;
    }

    function plain(input: unknown, key: string): unknown {
      let value = input;
      if (typeof value === "bigint" && !lenient) {
        // The only primitive that JSON asks: scripts teach it with `BigInt.prototype.toJSON`.
        const toJSON = (value as { toJSON?: unknown }).toJSON;
        if (typeof toJSON === "function")
          value = P.apply(toJSON as (...args: unknown[]) => unknown, value, [key]);
      }
      if (typeof value === "function") {
        // To JSON a function is an object like others, except that without a `toJSON` nothing is left of it.
        const toJSON = (value as { toJSON?: unknown }).toJSON;
        return typeof toJSON === "function" ? structure(value, key, toJSON) : primitive(value);
      }
      if (typeof value !== "object" || value === null) return primitive(value);
      return structure(value, key, (value as { toJSON?: unknown }).toJSON);
    }

    /** An object whose `toJSON` has been read. */
    function structure(input: object, key: string, toJSON: unknown): unknown {
      let value = input;
      if (typeof toJSON === "function") {
        if (toJSON === P.dateToJSON && brand(P.dateGetTime, value)) return time(value);
        value = P.apply(toJSON as (...args: unknown[]) => object, value, [key]);
        if (typeof value !== "object" || value === null) return primitive(value);
      }
      const object = value;
      if (P.isArray(object)) {
        const array = object as unknown[];
        return descend(array, () => elements(lengthOf(array.length), (i) => array[i], true));
      }
      const prototype = P.getPrototypeOf(object);
      const isPlain = prototype === P.objectPrototype || prototype === null;
      if (!isPlain) {
        const known = special(object);
        if (known !== undefined) return known.value;
      }
      return record(object, isPlain);
    }

    function record(object: object, isPlain: boolean, from?: Begun): unknown {
      let kept = from?.kept ?? 0;
      const result = descend(object, () => {
        const out = (kept === 0 ? P.create(null) : P.parse(from?.text + "}")) as Record<string, unknown>;
        if (kept > 0) P.setPrototypeOf(out, null);
        kept += members(object, out, from);
        return out;
      });
      // A Map without its prototype looks like any other object without members.
      const known = isPlain && kept === 0 && ++probes <= MAX_PROBES ? special(object) : undefined;
      if (known !== undefined) return known.value;
      if (hasSymbols(object)) mention("has members under symbols, which were left out");
      else if (kept === 0 && !P.isView(object)) {
        const hidden = !isPlain || P.ownKeys(object).length > P.objectKeys(object).length;
        if (hidden) mention("has nothing that JSON can carry: it became {}");
      }
      return result;
    }

    if (begun !== undefined) chars = begun.chars;
    const copy =
      begun === undefined
        ? plain(input, "")
        : begun.names === undefined
          ? structure(input as object, "", begun.toJSON)
          : record(input as object, true, begun);
    if (copy === undefined) return { kind: "undefined" };
    if (typeof copy === "string" && !(lenient && !bare)) return { kind: "string", text: copy };
    return { kind: "json", text: P.stringify(copy) };
  }

  /** Whether a function says itself what it is as JSON; all others are shown as their source. */
  const hasJson = (value: unknown): boolean =>
    typeof value === "function" && typeof (value as { toJSON?: unknown }).toJSON === "function";

  return { encode, limits, isError, hasJson };
}

export type Values = ReturnType<typeof makeValues>;
