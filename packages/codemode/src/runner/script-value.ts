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

/** JSON text of a tool's value; Map, Set, Error and BigInt keep their content. `undefined` when there is nothing. */
export function valueJson(value: unknown): string | undefined {
  try {
    if (!needsCare(value)) return JSON.stringify(value);
  } catch {
    // A cycle or a throwing getter beyond what was checked, or a trap that throws.
  }
  const plain = toPlain(value);
  return plain === undefined ? undefined : JSON.stringify(plain);
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

/** Plain JSON of anything a tool may return: never throws, never recurses past 512 levels. */
export function toPlain(value: unknown, depth = 0, parents: readonly object[] = []): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object") return undefined;
  if (parents.includes(value)) return "[Circular]";
  if (depth >= 512) return "[…]";
  const inner = [...parents, value];
  const each = (item: unknown): JsonValue => toPlain(item, depth + 1, inner) ?? null;
  try {
    if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
      const json: unknown = (value as { toJSON: () => unknown }).toJSON();
      return typeof json === "object" && json !== null
        ? toPlain({ ...json }, depth + 1, inner)
        : toPlain(json, depth + 1, inner);
    }
    if (Array.isArray(value)) return Array.from(value, each);
    if (value instanceof Map) return [...value].map(([key, item]) => [each(key), each(item)]);
    if (value instanceof Set) return [...value].map(each);
    const out: Record<string, JsonValue> = Object.create(null) as Record<string, JsonValue>;
    if (value instanceof Error) {
      out["name"] = value.name;
      out["message"] = value.message;
    }
    for (const key of Object.keys(value)) {
      const item = toPlain((value as Record<string, unknown>)[key], depth + 1, inner);
      if (item !== undefined) out[key] = item;
    }
    return out;
  } catch {
    return null;
  }
}
