import type { CallableTool, CallDecision, JsonValue, ToolCallOutcome, ToolResult } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";

/** What a script gets for a call. */
export type ScriptAnswer =
  | { readonly kind: "value"; readonly value: unknown }
  | {
      readonly kind: "error";
      readonly name: string;
      readonly message: string;
      readonly denied: boolean;
      readonly properties?: Readonly<Record<string, JsonValue>>;
    };

export function textOf(result: ToolResult): string {
  return (result.content ?? [])
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");
}

/**
 * Structured content when the tool declares `outputSchema` and returned it, even with `isError` (contract A10);
 * else the text; a failure without data rejects with its text, and with name, code and data where they are known.
 */
export function answerOf(
  tool: CallableTool | undefined,
  outcome: ToolCallOutcome,
  decision: CallDecision | undefined,
): ScriptAnswer {
  const { result } = outcome;
  if (decision?.effect === "deny") return denial(textOf(result), decision);
  if (tool?.outputSchema !== undefined && result.structuredContent !== undefined) {
    return { kind: "value", value: result.structuredContent };
  }
  const text = textOf(result);
  if (!outcome.isError) return { kind: "value", value: text };
  const thrown = thrownOf(result.details);
  return {
    kind: "error",
    name: thrown?.name ?? "Error",
    message: text === "" ? `Tool "${outcome.toolCall.name}" failed` : text,
    denied: false,
    ...(thrown === undefined ? {} : { properties: thrown.properties }),
  };
}

/** A decision, not a failure: it names the rule, so that nobody tries another spelling. */
export function denial(text: string, decision: CallDecision): ScriptAnswer {
  const rule = `rule ${decision.rule} (${decision.layer})`;
  const message =
    text === "" ? `Denied by ${rule}` : text.includes(decision.rule) ? text : `${text} [denied by ${rule}]`;
  return {
    kind: "error",
    name: "PolicyError",
    message,
    denied: true,
    properties: { code: "E_POLICY", rule: decision.rule, layer: decision.layer },
  };
}

/** What a host kept of a thrown error: its details are `{ name, code, data }` or hold that as `error`. */
function thrownOf(
  details: unknown,
): { readonly name: string; readonly properties: Readonly<Record<string, JsonValue>> } | undefined {
  const outer = isRecord(details) ? details : undefined;
  const error = isRecord(outer?.["error"]) ? outer["error"] : outer;
  if (error === undefined) return undefined;
  const properties: Record<string, JsonValue> = {};
  for (const key of ["code", "data"] as const) {
    if (!Object.hasOwn(error, key)) continue;
    const plain = toPlain(error[key]);
    if (plain !== undefined) properties[key] = plain;
  }
  const name = Object.hasOwn(error, "name") && typeof error["name"] === "string" ? error["name"] : "Error";
  return { name, properties };
}

/** Nodes that are looked at for values that JSON would lose; larger results are taken as the JSON they claim to be. */
const MAX_CHECKED = 20_000;

/** Where bytes stand in a value (the keys from the value itself), and which of its bytes they are. */
export interface BytesPlace {
  readonly path: readonly (string | number)[];
  readonly start: number;
  readonly length: number;
}

/** JSON text of a value, with `null` where bytes stand, and all its bytes in one piece. */
export interface ValueParts {
  readonly json: string;
  readonly places: readonly BytesPlace[];
  readonly bytes: Uint8Array;
}

const NO_BYTES = { places: [], bytes: new Uint8Array() };

/**
 * What a tool's value is on its way to the script; Map, Set, Error and BigInt keep their content, bytes
 * (`Uint8Array`, `ArrayBuffer`, `DataView`) stay bytes. `undefined` when there is nothing.
 */
export function valueParts(value: unknown): ValueParts | undefined {
  try {
    if (!needsCare(value)) {
      const json = JSON.stringify(value) as string | undefined;
      return json === undefined ? undefined : { json, ...NO_BYTES };
    }
  } catch {
    // A cycle or a throwing getter beyond what was checked, or a trap that throws.
  }
  const places: BytesPlace[] = [];
  const found: Uint8Array[] = [];
  let size = 0;
  const plain = toPlain(value, (path, part) => {
    places.push({ path, start: size, length: part.length });
    found.push(part);
    size += part.length;
  });
  if (plain === undefined) return undefined;
  // A copy: the tool may use its buffers again.
  const bytes = new Uint8Array(size);
  for (const [index, part] of found.entries()) bytes.set(part, places[index]?.start);
  return { json: JSON.stringify(plain), places, bytes };
}

function bytesOf(value: object): Uint8Array | undefined {
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (!(value instanceof Uint8Array || value instanceof DataView)) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}

function needsCare(value: unknown): boolean {
  const queue: unknown[] = [value];
  for (let index = 0; index < queue.length && index < MAX_CHECKED; index++) {
    const item = queue[index];
    if (typeof item === "bigint") return true;
    if (typeof item !== "object" || item === null) continue;
    if (Array.isArray(item)) {
      for (const child of item) if (isNode(child)) queue.push(child);
      continue;
    }
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== Object.prototype && prototype !== null && !(item instanceof Date)) return true;
    for (const child of Object.values(item)) if (isNode(child)) queue.push(child);
  }
  return false;
}

const isNode = (value: unknown): boolean =>
  typeof value === "bigint" || (typeof value === "object" && value !== null);

type TakeBytes = (path: readonly (string | number)[], bytes: Uint8Array) => void;

/**
 * Plain JSON of anything a tool may return: never throws, never recurses past 512 levels. Bytes are handed to `take`
 * where there is one, and `null` stands in their place.
 */
export function toPlain(value: unknown, take?: TakeBytes): JsonValue | undefined {
  return plainOf(value, [], [], take);
}

function plainOf(
  value: unknown,
  path: readonly (string | number)[],
  parents: readonly object[],
  take: TakeBytes | undefined,
): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return undefined;
  if (parents.includes(value)) return "[Circular]";
  if (parents.length >= 512) return "[…]";
  const inner = [...parents, value];
  const at = (item: unknown, ...keys: (string | number)[]): JsonValue | undefined =>
    plainOf(item, take === undefined ? path : [...path, ...keys], inner, take);
  const each = (item: unknown, index: number): JsonValue => at(item, index) ?? null;
  try {
    const bytes = take === undefined ? undefined : bytesOf(value);
    if (bytes !== undefined) {
      take?.(path, bytes);
      return null;
    }
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
      const json: unknown = (value as { toJSON: () => unknown }).toJSON();
      return typeof json === "object" && json !== null
        ? plainOf(Array.isArray(json) ? Array.from(json) : { ...json }, path, inner, take)
        : plainOf(json, path, inner, take);
    }
    if (Array.isArray(value)) return Array.from(value, each);
    if (value instanceof Map) {
      return Array.from(value, ([key, item], index) => [
        at(key, index, 0) ?? null,
        at(item, index, 1) ?? null,
      ]);
    }
    if (value instanceof Set) return [...value].map(each);
    const out: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
    if (value instanceof Error) {
      out["name"] = value.name;
      out["message"] = value.message;
    }
    for (const key of Object.keys(value)) {
      const item = at((value as Record<string, unknown>)[key], key);
      if (item !== undefined) out[key] = item;
    }
    return out;
  } catch {
    return null;
  }
}
