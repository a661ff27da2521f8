import type { Service } from "./environment.ts";

/**
 * `TextEncoder`, `TextDecoder`, `atob` and `btoa`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeEncoding(
  service: Service,
  exception: () => new (message: string, name: string) => Error,
) {
  "use strict";

  class TextEncoder {
    get encoding(): string {
      return "utf-8";
    }

    encode(text: unknown = ""): Uint8Array {
      return service("encode", String(text)) as Uint8Array;
    }

    encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
      const source = String(text);
      let read = 0;
      let written = 0;
      for (const char of source) {
        const bytes = this.encode(char);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += char.length;
      }
      return { read, written };
    }
  }

  /** Bytes at the end that do not make a whole character yet. */
  function unfinished(encoding: string, bytes: Uint8Array): number {
    if (encoding.startsWith("utf-16")) {
      const odd = bytes.length % 2;
      const high = bytes[bytes.length - odd - (encoding === "utf-16be" ? 2 : 1)] ?? 0;
      return high >= 0xd8 && high <= 0xdb ? odd + 2 : odd;
    }
    if (encoding !== "utf-8") return 0;
    for (let back = 1; back <= Math.min(3, bytes.length); back++) {
      const byte = bytes[bytes.length - back] ?? 0;
      if (byte < 0x80) return 0;
      if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    }
    return 0;
  }

  function bytesOf(input: unknown): Uint8Array {
    if (input === undefined) return new Uint8Array(0);
    if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    throw new TypeError("TextDecoder.decode() expects an ArrayBuffer or a view of one");
  }

  class TextDecoder {
    readonly encoding: string;
    readonly fatal: boolean;
    readonly ignoreBOM: boolean;
    #rest = new Uint8Array(0);
    #begun = false;

    constructor(
      label: unknown = "utf-8",
      options: { readonly fatal?: boolean; readonly ignoreBOM?: boolean } = {},
    ) {
      const encoding = service("encoding", String(label));
      if (typeof encoding !== "string")
        throw new RangeError(`The encoding "${String(label)}" is not supported`);
      this.encoding = encoding;
      this.fatal = options.fatal === true;
      this.ignoreBOM = options.ignoreBOM === true;
    }

    decode(input?: unknown, options: { readonly stream?: boolean } = {}): string {
      let bytes = bytesOf(input);
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + bytes.length);
        joined.set(this.#rest, 0);
        joined.set(bytes, this.#rest.length);
        bytes = joined;
      }
      const keep = options.stream === true ? unfinished(this.encoding, bytes) : 0;
      this.#rest = bytes.slice(bytes.length - keep);
      const whole = bytes.slice(0, bytes.length - keep);
      // A byte order mark is one only at the beginning of the stream.
      const flags = (this.fatal ? 1 : 0) | (this.ignoreBOM || this.#begun ? 2 : 0);
      this.#begun = options.stream === true && (this.#begun || whole.length > 0);
      const text = service("decode", whole, this.encoding, flags);
      if (typeof text !== "string") throw new TypeError(`The data is not valid ${this.encoding}`);
      return text;
    }
  }

  function btoa(input: unknown): string {
    const text = String(input);
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
    const text = service("atob", String(input));
    if (typeof text !== "string")
      throw new (exception())("The string is not correctly encoded base64", "InvalidCharacterError");
    return text;
  }

  return { TextEncoder, TextDecoder, atob, btoa };
}
