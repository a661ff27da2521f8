import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { toPlainJson as copyAsJson, type JsonValue } from "@nestbox/tool";

import { isRecord } from "../is-record.ts";

/** Deepest nesting that arguments may have; the boundary of a script has the same limit. */
export const MAX_INPUT_DEPTH = 512;
/** Most values that one call's arguments may hold. */
export const MAX_INPUT_VALUES = 1_000_000;

/** How a value was read as plain JSON: a copy that nobody else holds, or why it is none. */
export type PlainJson =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

/**
 * Reads a value once into fresh plain JSON: no getters, no prototypes, no symbols, no cycles. What cannot be JSON is
 * refused, not dropped, except an `undefined` property, which JSON leaves out.
 */
export function toPlainJson(value: unknown): PlainJson {
  const plain = copyAsJson(value, { maxDepth: MAX_INPUT_DEPTH, maxValues: MAX_INPUT_VALUES });
  if (plain.ok) return plain;
  const at = plain.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join("");
  return { ok: false, message: `input${at}: ${plain.message}` };
}

/** One text per value: keys sorted, no spaces. Two inputs are the same call exactly when these texts are. */
export function canonicalJson(value: JsonValue): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => canonicalJson(item)).join(",")}]`;
  if (!isRecord(value)) return "null";
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
