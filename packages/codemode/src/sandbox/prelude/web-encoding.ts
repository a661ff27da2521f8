import type { Service } from "./environment.ts";
import type { AsInterface } from "./web-interface.ts";

/**
 * `TextEncoder`, `TextDecoder`, `atob` and `btoa`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeEncoding(
  service: Service,
  exception: () => new (message: string, name: string) => Error,
  asInterface: AsInterface,
) {
  "use strict";
  const typedName = Reflect.getOwnPropertyDescriptor(
    Reflect.getPrototypeOf(Uint8Array.prototype) as object,
    Symbol.toStringTag,
  )?.get as (this: unknown) => string | undefined;

  // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- unlike String() it refuses symbols
  const textOf = (value: unknown): string => `${value as string}`;

  /** Bytes in UTF-8 of the character at `at`; a lone surrogate is written as U+FFFD. */
  function width(text: string, at: number): number {
    const point = text.codePointAt(at) ?? 0;
    return point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }

  class TextEncoder {
    get encoding(): string {
      return "utf-8";
    }

    encode(text: unknown = ""): Uint8Array {
      return service("encode", textOf(text)) as Uint8Array;
    }

    encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
      const source = textOf(text);
      if (Reflect.apply(typedName, target, []) !== "Uint8Array")
        throw new TypeError("TextEncoder.encodeInto() expects a Uint8Array as its second argument");
      let read = 0;
      let written = 0;
      while (read < source.length) {
        const bytes = width(source, read);
        if (written + bytes > target.length) break;
        written += bytes;
        read += bytes === 4 ? 2 : 1;
      }
      if (written > 0) target.set(this.encode(source.slice(0, read)));
      return { read, written };
    }
  }

  /** Whether a byte may follow the first one of a UTF-8 character: not every one starts a longer form. */
  function mayFollow(first: number, second: number): boolean {
    if (second < 0x80 || second > 0xbf) return false;
    if (first === 0xe0) return second >= 0xa0;
    if (first === 0xed) return second < 0xa0;
    if (first === 0xf0) return second >= 0x90;
    return first !== 0xf4 || second < 0x90;
  }

  function unfinishedUtf8(bytes: Uint8Array): number {
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back] ?? 0;
      if (byte < 0x80) return 0;
      if (byte < 0xc0) continue;
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      const isStart = byte >= 0xc2 && byte <= 0xf4 && length > back;
      return isStart && (back === 1 || mayFollow(byte, bytes[bytes.length - back + 1] ?? 0)) ? back : 0;
    }
    return 0;
  }

  /** A character of each older encoding whose two bytes are both ones that begin a character. */
  const PROBES = new Map<string, readonly [number, number]>([
    ["gbk", [0xc4, 0xe3]],
    ["gb18030", [0xc4, 0xe3]],
    ["big5", [0xa4, 0xa4]],
    ["euc-kr", [0xb0, 0xa1]],
    ["shift_jis", [0x93, 0xfa]],
    ["euc-jp", [0xc6, 0xfc]],
  ]);

  const decoded = (encoding: string, bytes: Uint8Array): unknown => service("decode", bytes, encoding, 2);

  /** Which bytes make a character only the decoder knows: where another one can follow untouched, one has ended. */
  function unfinishedLegacy(encoding: string, probe: readonly [number, number], bytes: Uint8Array): number {
    let from = bytes.length;
    // A byte below the digits is never the second one.
    while (from > 0 && (bytes[from - 1] ?? 0) >= 0x30) from--;
    const next = String(decoded(encoding, new Uint8Array(probe)));
    for (let back = 0; back < 4 && from < bytes.length - back; back++) {
      const piece = bytes.slice(from, bytes.length - back);
      const followed = new Uint8Array(piece.length + 2);
      followed.set(piece);
      followed.set(probe, piece.length);
      if (decoded(encoding, followed) === String(decoded(encoding, piece)) + next) return back;
    }
    return Math.min(3, bytes.length - from);
  }

  /** Bytes at the end that do not make a whole character yet. */
  function unfinished(encoding: string, bytes: Uint8Array): number {
    if (encoding === "utf-8") return unfinishedUtf8(bytes);
    if (encoding === "utf-16le" || encoding === "utf-16be") {
      const odd = bytes.length % 2;
      const high = bytes[bytes.length - odd - (encoding === "utf-16be" ? 2 : 1)] ?? 0;
      return high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
    }
    // What a byte means depends on all before it: the text comes with the end.
    if (encoding === "iso-2022-jp") return bytes.length;
    const probe = PROBES.get(encoding);
    return probe === undefined ? 0 : unfinishedLegacy(encoding, probe, bytes);
  }

  function bytesOf(input: unknown): Uint8Array {
    if (input === undefined) return new Uint8Array(0);
    const isView = ArrayBuffer.isView(input);
    if (!isView && !(input instanceof ArrayBuffer))
      throw new TypeError("TextDecoder.decode() expects an ArrayBuffer or a view of one");
    // A detached buffer has no bytes, and no view can be made of it.
    if ((isView ? (input.buffer as ArrayBuffer) : input).detached) return new Uint8Array(0);
    return isView ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength) : new Uint8Array(input);
  }

  /** The settings that a caller gives: nothing is an empty object, and what is neither is refused. */
  function settings(given: unknown, what: string): Readonly<Record<string, unknown>> {
    if (given === undefined || given === null) return {};
    if (typeof given !== "object" && typeof given !== "function")
      throw new TypeError(`${what} expects an object with its options`);
    return given as Readonly<Record<string, unknown>>;
  }

  class TextDecoder {
    readonly #encoding: string;
    readonly #fatal: boolean;
    readonly #ignoreBOM: boolean;
    #rest = new Uint8Array(0);
    #begun = false;

    constructor(label: unknown = "utf-8", options?: unknown) {
      const wanted = textOf(label);
      const encoding = service("encoding", wanted);
      if (typeof encoding !== "string") {
        const error = new RangeError(`The encoding "${wanted}" is not supported`);
        throw Object.assign(error, { code: "ERR_ENCODING_NOT_SUPPORTED" });
      }
      const { fatal, ignoreBOM } = settings(options, "new TextDecoder()");
      this.#encoding = encoding;
      this.#fatal = Boolean(fatal);
      this.#ignoreBOM = Boolean(ignoreBOM);
    }

    get encoding(): string {
      return this.#encoding;
    }

    get fatal(): boolean {
      return this.#fatal;
    }

    get ignoreBOM(): boolean {
      return this.#ignoreBOM;
    }

    decode(input?: unknown, options?: unknown): string {
      const stream = Boolean(settings(options, "decode()")["stream"]);
      let bytes = bytesOf(input);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + bytes.length);
        joined.set(this.#rest, 0);
        joined.set(bytes, this.#rest.length);
        bytes = joined;
      }
      const keep = stream ? unfinished(this.#encoding, bytes) : 0;
      const whole = bytes.slice(0, bytes.length - keep);
      // A byte order mark is one only at the beginning of the stream.
      const flags = (this.#fatal ? 1 : 0) | (this.#ignoreBOM || this.#begun ? 2 : 0);
      const text = service("decode", whole, this.#encoding, flags);
      const failed = typeof text !== "string";
      // After a failure the next bytes are a new stream.
      this.#rest = failed ? new Uint8Array(0) : bytes.slice(bytes.length - keep);
      this.#begun = !failed && stream && (this.#begun || whole.length > 0);
      if (failed) {
        const error = new TypeError(`The data is not valid ${this.#encoding}`);
        throw Object.assign(error, { code: "ERR_ENCODING_INVALID_ENCODED_DATA" });
      }
      return text;
    }
  }

  function btoa(input: unknown): string {
    if (arguments.length === 0) throw new TypeError("btoa() expects an argument");
    const text = textOf(input);
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) > 255) {
        throw new (exception())(
          "btoa() takes characters up to U+00FF; encode text with TextEncoder first",
          "InvalidCharacterError",
        );
      }
    }
    return service("btoa", text) as string;
  }

  function atob(input: unknown): string {
    if (arguments.length === 0) throw new TypeError("atob() expects an argument");
    const text = service("atob", textOf(input));
    if (typeof text !== "string")
      throw new (exception())("The string is not correctly encoded base64", "InvalidCharacterError");
    return text;
  }

  asInterface({ TextEncoder, TextDecoder });
  return { TextEncoder, TextDecoder, atob, btoa };
}
