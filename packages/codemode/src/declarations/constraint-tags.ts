import { isRecord } from "../shared/guards.ts";
import type { Schema } from "./schema.ts";

/** Constraints with a value, in the order in which they are shown. */
const KEYWORDS = [
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
] as const;

/** Where several values hold at once, the tightest one says it all. */
const TIGHTEST: ReadonlyMap<string, (...values: number[]) => number> = new Map([
  ["minimum", Math.max],
  ["exclusiveMinimum", Math.max],
  ["minLength", Math.max],
  ["minItems", Math.max],
  ["maximum", Math.min],
  ["exclusiveMaximum", Math.min],
  ["maxLength", Math.min],
  ["maxItems", Math.min],
]);

/** Longest tag; longer ones (large defaults, long patterns) are left out. */
const MAX_TAG_CHARS = 80;

/** Characters that end a line comment. */
export const LINE_TERMINATOR = /[\r\n\u2028\u2029]/g;

/**
 * What a property's type cannot say, as tags: `@integer @minimum 1 @maximum 100 @default 20`. The empty string
 * when there is nothing to say.
 */
export function constraintTags(value: unknown): string {
  if (!isRecord(value)) return "";
  const sources = [value, ...nonNullBranch(value)].map(upgradeExclusive);
  const tags: string[] = [];
  if (sources.some((schema) => isInteger(schema["type"]))) tags.push("@integer");
  for (const keyword of KEYWORDS) {
    const values = [...new Set(sources.map((schema) => schema[keyword]))];
    const tightest = TIGHTEST.get(keyword);
    const numbers = values.filter((entry) => typeof entry === "number");
    if (tightest !== undefined) {
      if (numbers.length > 0) tags.push(`@${keyword} ${tightest(...numbers)}`);
      continue;
    }
    for (const entry of values) {
      if (typeof entry === "number" || typeof entry === "string") tags.push(`@${keyword} ${entry}`);
    }
  }
  if (sources.some((schema) => schema["uniqueItems"] === true)) tags.push("@uniqueItems");
  if (value["default"] !== undefined && value["default"] !== null)
    tags.push(`@default ${asJson(value["default"])}`);
  if (value["deprecated"] === true) tags.push("@deprecated");
  return tags
    .filter((tag) => tag.length <= MAX_TAG_CHARS)
    .map((tag) => tag.replace(LINE_TERMINATOR, escapeUnit))
    .join(" ");
}

/** An optional field such as `int | null` keeps its bounds in the branch that is not null. */
function nonNullBranch(schema: Schema): Schema[] {
  const variants = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : schema["oneOf"];
  if (!Array.isArray(variants)) return [];
  const branches = variants.filter((variant) => !isRecord(variant) || variant["type"] !== "null");
  return branches.length === 1 ? branches.filter(isRecord) : [];
}

/** In draft 4 and OpenAPI 3.0 an exclusive bound is a flag beside the bound. */
function upgradeExclusive(schema: Schema): Schema {
  const lower = schema["exclusiveMinimum"] === true;
  const upper = schema["exclusiveMaximum"] === true;
  return {
    ...schema,
    ...(lower ? { exclusiveMinimum: schema["minimum"], minimum: undefined } : {}),
    ...(upper ? { exclusiveMaximum: schema["maximum"], maximum: undefined } : {}),
  };
}

function isInteger(type: unknown): boolean {
  return type === "integer" || (Array.isArray(type) && type.includes("integer"));
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "unknown";
  } catch {
    return "unknown";
  }
}

function escapeUnit(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
