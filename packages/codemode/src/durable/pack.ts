import type { JsonValue } from "@nestbox/tool";
import { toPlain } from "../runner/script-value.ts";
import { isRecord } from "../shared/guards.ts";

/**
 * A tool's value as JSON that gives the same again: bytes stand beside it as base64, with their paths. What a script
 * sees is always the unpacked one, in the first run too, so that a replay can differ in nothing.
 */
export function packValue(value: unknown): JsonValue {
  const places: [(string | number)[], string][] = [];
  const plain = toPlain(value, (path, bytes) => {
    places.push([
      [...path],
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64"),
    ]);
  });
  return {
    ...(plain === undefined ? {} : { v: plain }),
    ...(places.length === 0 ? {} : { b: places }),
  };
}

export function unpackValue(packed: unknown): unknown {
  if (!isRecord(packed)) return undefined;
  const places = packed["b"];
  if (!Array.isArray(places)) return packed["v"];
  const root = { v: structuredClone(packed["v"]) };
  for (const place of places as unknown[]) {
    if (!Array.isArray(place) || !Array.isArray(place[0]) || typeof place[1] !== "string") continue;
    setAt(root, ["v", ...(place[0] as (string | number)[])], new Uint8Array(Buffer.from(place[1], "base64")));
  }
  return root.v;
}

function setAt(root: object, path: readonly (string | number)[], value: unknown): void {
  let at: unknown = root;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return;
    at = (at as Record<string | number, unknown>)[key];
  }
  const last = path.at(-1);
  if (typeof at !== "object" || at === null || last === undefined) return;
  Object.defineProperty(at, last, { value, writable: true, enumerable: true, configurable: true });
}
