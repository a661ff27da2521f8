import type { JsonValue } from "@nestbox/tool";
import type { ScriptOutcome } from "../types.ts";

/** A place where two outcomes are not the same. */
export interface Difference {
  /** For example `value.items[3]` or `output[0].text`. */
  readonly path: string;
  readonly recorded: string;
  readonly came: string;
}

const MAX_TEXT_CHARS = 500;
const MAX_DIFFERENCES = 100;

/** What of an outcome is the same in every repetition: all but how long things took and how much memory they had. */
export function repeatablePart(outcome: ScriptOutcome): JsonValue {
  const { stats, calls, ...rest } = outcome;
  const part = {
    ...rest,
    calls: calls.map((call) => ({ ...call, durationMs: undefined })),
    stats: { calls: stats.calls, outputChars: stats.outputChars },
  };
  return JSON.parse(JSON.stringify(part)) as JsonValue;
}

export function compareOutcomes(recorded: ScriptOutcome, came: ScriptOutcome): readonly Difference[] {
  const found: Difference[] = [];
  compare("", repeatablePart(recorded), repeatablePart(came), found);
  return found;
}

function compare(
  path: string,
  recorded: JsonValue | undefined,
  came: JsonValue | undefined,
  found: Difference[],
): void {
  if (found.length >= MAX_DIFFERENCES) return;
  if (isContainer(recorded) && isContainer(came) && Array.isArray(recorded) === Array.isArray(came)) {
    const keys = [...new Set([...Object.keys(recorded), ...Object.keys(came)])];
    for (const key of keys) {
      const at = Array.isArray(recorded) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
      compare(at, own(recorded, key), own(came, key), found);
    }
    const order = Object.keys(recorded).join("\0") !== Object.keys(came).join("\0");
    if (order && keys.length === Object.keys(recorded).length && keys.length === Object.keys(came).length) {
      found.push({ path, recorded: show(Object.keys(recorded)), came: show(Object.keys(came)) });
    }
    return;
  }
  if (Object.is(recorded, came)) return;
  found.push({ path, recorded: show(recorded), came: show(came) });
}

function isContainer(
  value: JsonValue | undefined,
): value is Exclude<JsonValue, string | number | boolean | null> {
  return typeof value === "object" && value !== null;
}

function own(value: object, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? (value as Record<string, JsonValue>)[key] : undefined;
}

function show(value: JsonValue | undefined | readonly string[]): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, MAX_TEXT_CHARS);
}
