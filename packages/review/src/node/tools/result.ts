import {
  dataResult,
  redactJson,
  type DataResult,
  type JsonObject,
  type JsonValue,
  type Redactor,
} from "@nestbox/tool";
import { modelText } from "@nestbox/tool/node";

import { limits } from "../../limits.ts";
import { plainText } from "../../reports/text.ts";
import type { ReviewEnvironment } from "../options.ts";

/** What a renderer draws: the structured content itself, so that a stored result can be drawn again. */
export type ReviewDetails<TData> = TData;

/**
 * Takes secrets and private paths out of structured content (contract B10). The paths of complete outputs stay as
 * they are: a path that cannot be opened would be none (contract A12).
 */
export function clean<TData extends JsonObject>(data: TData, environment: ReviewEnvironment): TData {
  // Redaction keeps the shape: only the characters of strings change.
  return walk(data, environment.redact) as TData;
}

function walk(value: JsonValue, redact: Redactor): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => walk(item, redact));
  if (typeof value !== "object" || value === null) return redactJson(value, redact);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, key === "fullOutputPath" ? item : walk(item, redact)]),
  );
}

/**
 * Clean data with its text, as result and as details. The text holds no terminal sequences, whatever the data holds. A text that is longer than the model may read is cut, and a
 * file that it names holds all of it (contract A12).
 */
export async function report<TData extends JsonObject>(
  data: TData,
  environment: ReviewEnvironment,
  describe: (data: TData) => string,
): Promise<DataResult<TData, ReviewDetails<TData>>> {
  const safe = clean(data, environment);
  const { outputFolder } = environment;
  const text = await modelText(plainText(describe(safe)), {
    maxBytes: limits.textBytes,
    maxLines: limits.textLines,
    ...(outputFolder === undefined ? {} : { outputFolder }),
  });
  return dataResult<TData, TData>(safe, { text: text.text, details: safe });
}
