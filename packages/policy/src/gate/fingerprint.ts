import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { JsonObject, JsonValue } from "@nestbox/tool";

/** Deepest nesting that arguments may have; the boundary of a script has the same limit. */
export const MAX_INPUT_DEPTH = 512;
/** Most values that one call's arguments may hold. */
export const MAX_INPUT_VALUES = 1_000_000;

/** How a value was read as plain JSON: a copy that nobody else holds, or why it is none. */
export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

type Holder = { [key: string]: JsonValue } | JsonValue[];

/**
 * Reads a value once into fresh plain JSON: no getters, no prototypes, no symbols, no cycles. What cannot be JSON is
 * refused, not dropped, except an `undefined` property, which JSON leaves out.
 */
export function toPlainJson(value: unknown): PlainJson {
  const top: JsonValue[] = [];
  const ancestors = new Set<object>();
  let values = 0;

  const visit = (input: unknown, depth: number, at: string): JsonValue => {
    values += 1;
    if (values > MAX_INPUT_VALUES) throw new Refusal(`${at}: more than ${MAX_INPUT_VALUES} values`);
    if (depth > MAX_INPUT_DEPTH) throw new Refusal(`${at}: nested deeper than ${MAX_INPUT_DEPTH}`);
    if (input === null || typeof input === "string" || typeof input === "boolean") return input;
    if (typeof input === "number") {
      if (!Number.isFinite(input)) throw new Refusal(`${at}: ${String(input)} is not JSON`);
      return input;
    }
    if (typeof input !== "object") throw new Refusal(`${at}: a ${typeof input} is not JSON`);
    if (ancestors.has(input)) throw new Refusal(`${at}: refers to itself`);
    ancestors.add(input);
    let out: Holder;
    if (Array.isArray(input)) {
      out = [];
      for (let index = 0; index < input.length; index += 1) {
        out.push(visit(ownData(input, String(index), `${at}[${index}]`), depth + 1, `${at}[${index}]`));
      }
    } else {
      const prototype: unknown = Object.getPrototypeOf(input);
      if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
        throw new Refusal(`${at}: an object with a class is not JSON`);
      }
      out = {};
      for (const key of Object.keys(input)) {
        const item = ownData(input, key, `${at}.${key}`);
        if (item === undefined) continue;
        Object.defineProperty(out, key, {
          value: visit(item, depth + 1, `${at}.${key}`),
          enumerable: true,
          writable: true,
          configurable: true,
        });
      }
    }
    ancestors.delete(input);
    return out;
  };

  try {
    top.push(visit(value, 0, "input"));
  } catch (error) {
    return { ok: false, message: error instanceof Refusal ? error.text : "the arguments cannot be read" };
  }
  const read = top[0];
  return read === undefined
    ? { ok: false, message: "the arguments cannot be read" }
    : { ok: true, value: read };
}

/** Whether a JSON value is an object. */
export function isJsonObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One text per value: keys sorted, no spaces. Two inputs are the same call exactly when these texts are. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonicalJson(item)).join(",")}]`;
  if (!isJsonObject(value)) return "null";
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item = value[key];
    if (item !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(item)}`);
  }
  return `{${parts.join(",")}}`;
}

/** SHA-256 of {@link canonicalJson}, in hex: binds an approval to exact arguments. */
export function fingerprint(value: JsonValue): string {
  return sha256Hex(canonicalJson(value));
}

/** SHA-256 of a text's UTF-8 bytes, or of bytes, in hex. */
export function sha256Hex(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === "string" ? utf8ToBytes(data) : data));
}

class Refusal extends Error {
  readonly text: string;
  constructor(text: string) {
    super(text);
    this.text = text;
  }
}

function ownData(holder: object, key: string, at: string): unknown {
  const property = Object.getOwnPropertyDescriptor(holder, key);
  if (property === undefined) {
    if (Array.isArray(holder)) throw new Refusal(`${at}: a hole in a list is not JSON`);
    return undefined;
  }
  if (!("value" in property)) throw new Refusal(`${at}: a computed property is not JSON`);
  const data: unknown = property.value;
  return data;
}
