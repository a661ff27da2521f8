import type { CallableTool, CallDecision, JsonValue, ToolCallOutcome, ToolResult } from "@nestbox/tool";
import { isRecord } from "../shared/guards.ts";
import { needsCare, type PlainOptions, plainValue } from "../shared/plain-value.ts";

/** What a script gets for a call. */
export type ScriptAnswer =
  | {
      readonly kind: "value";
      readonly value: unknown;
      /** How the value is called in a warning, for example `the result of data`. */
      readonly what?: string;
    }
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
    return { kind: "value", value: result.structuredContent, what: `the result of ${tool.name}` };
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
    const plain = plainValue(error[key]);
    if (plain !== undefined) properties[key] = plain;
  }
  const name = Object.hasOwn(error, "name") && typeof error["name"] === "string" ? error["name"] : "Error";
  return { name, properties };
}

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
 * What a tool's value is on its way to the script, see {@link plainValue}; bytes (`Uint8Array`, `ArrayBuffer`, `DataView`)
 * stay bytes. `undefined` when there is nothing.
 */
export function valueParts(value: unknown, mention?: PlainOptions["mention"]): ValueParts | undefined {
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
  const plain = plainValue(value, {
    takeBytes(path, part) {
      places.push({ path, start: size, length: part.length });
      found.push(part);
      size += part.length;
    },
    ...(mention === undefined ? {} : { mention }),
  });
  if (plain === undefined) return undefined;
  // A copy: the tool may use its buffers again.
  const bytes = new Uint8Array(size);
  for (const [index, part] of found.entries()) bytes.set(part, places[index]?.start);
  return { json: JSON.stringify(plain), places, bytes };
}

/** Plain JSON of anything a tool may return; bytes are handed to `takeBytes` where there is one. */
export function toPlain(value: unknown, takeBytes?: PlainOptions["takeBytes"]): JsonValue | undefined {
  return plainValue(value, takeBytes === undefined ? {} : { takeBytes });
}
