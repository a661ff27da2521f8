import type { Service } from "./environment.ts";

/**
 * `crypto.randomUUID`, `crypto.getRandomValues` and `crypto.subtle.digest`.
 *
 * Runs inside the isolate as source text: it refers to nothing outside its arguments.
 */
export function makeCrypto(
  service: Service,
  bytes: (length: number) => Uint8Array,
  exception: () => new (message: string, name: string) => Error,
) {
  "use strict";
  const MAX_RANDOM_BYTES = 65_536;
  const INTEGERS = new Set([
    "Int8Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "Int16Array",
    "Uint16Array",
    "Int32Array",
    "Uint32Array",
    "BigInt64Array",
    "BigUint64Array",
  ]);

  function getRandomValues<T>(target: T): T {
    if (arguments.length === 0) throw new TypeError("crypto.getRandomValues() expects an argument");
    if (
      !ArrayBuffer.isView(target) ||
      !INTEGERS.has((target as unknown as { [Symbol.toStringTag]: string })[Symbol.toStringTag])
    ) {
      throw new (exception())("crypto.getRandomValues() expects an integer typed array", "TypeMismatchError");
    }
    if (target.byteLength > MAX_RANDOM_BYTES) {
      throw new (exception())(
        `crypto.getRandomValues() gives at most ${MAX_RANDOM_BYTES} bytes at once`,
        "QuotaExceededError",
      );
    }
    new Uint8Array(target.buffer, target.byteOffset, target.byteLength).set(bytes(target.byteLength));
    return target;
  }

  function randomUUID(): string {
    const random = bytes(16);
    random[6] = ((random[6] ?? 0) & 0x0f) | 0x40;
    random[8] = ((random[8] ?? 0) & 0x3f) | 0x80;
    const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  }

  /** A copy: what the script does to its bytes afterwards is not hashed. */
  function bytesOf(data: unknown): Uint8Array {
    const isView = ArrayBuffer.isView(data);
    if (!isView && !(data instanceof ArrayBuffer))
      throw new TypeError("crypto.subtle.digest() expects an ArrayBuffer or a view of one");
    // A detached buffer has no bytes, and no view can be made of it.
    if ((isView ? (data.buffer as ArrayBuffer) : data).detached) return new Uint8Array(0);
    return isView
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice()
      : new Uint8Array(data).slice();
  }

  async function digest(algorithm: unknown, data: unknown): Promise<ArrayBuffer> {
    const name =
      typeof algorithm === "object" && algorithm !== null
        ? (algorithm as { name?: unknown }).name
        : algorithm;
    if (name === undefined)
      throw new TypeError("crypto.subtle.digest() expects the name of an algorithm as its first argument");
    // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- unlike String() it refuses symbols
    const wanted = `${name as string}`.toUpperCase();
    const result = service("digest", wanted, bytesOf(data));
    if (!(result instanceof Uint8Array)) {
      throw new (exception())(
        "crypto.subtle.digest() knows SHA-1, SHA-256, SHA-384 and SHA-512",
        "NotSupportedError",
      );
    }
    return result.slice().buffer;
  }

  const tagged = <T extends object>(value: T, tag: string): Readonly<T> =>
    Object.freeze(Object.defineProperty(value, Symbol.toStringTag, { value: tag }));
  const subtle = tagged({ digest }, "SubtleCrypto");
  return { crypto: tagged({ getRandomValues, randomUUID, subtle }, "Crypto") };
}
