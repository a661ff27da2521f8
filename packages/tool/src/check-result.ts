import type { JsonValue } from "./json.ts";
import { findJsonFault } from "./plain-json.ts";
import type { ToolContent, ToolResult } from "./result.ts";
import { formatSchemaErrors, type CompiledSchema } from "./schema.ts";
import { truncateText } from "./truncate.ts";

/** Bytes of a refused value that its report shows. */
const refusedValueMaxBytes = 4096;

/**
 * Checks what a tool is about to return, which the host does not: content is text or image parts, structured
 * content is plain JSON and matches `outputSchema`. What does not hold becomes an error result that names path and
 * expectation and shows the value: the tool has acted, so the value must not be lost.
 */
export function checkResult<TDetails>(
  result: unknown,
  output: CompiledSchema<unknown> | undefined,
): ToolResult<TDetails> {
  const fault = contentFault(result);
  // The details' type is the tool's own; a result without any is told as one of no details.
  if (fault !== undefined) return refused<TDetails>(fault, result, { details: undefined as TDetails });
  const { structuredContent, ...rest } = result as ToolResult<TDetails>;
  const given = Object.hasOwn(result as object, "structuredContent") && structuredContent !== undefined;
  if (!given) {
    if (output === undefined || rest.isError === true) return rest;
    const message = "The tool declares an outputSchema and returned no structuredContent.";
    return { ...rest, content: [textPart(message), ...rest.content], isError: true };
  }
  const json = findJsonFault(structuredContent);
  if (json !== undefined) {
    return refused(
      `structuredContent is not plain JSON: ${json.path} ${json.message}.`,
      structuredContent,
      rest,
    );
  }
  const checked = output?.check(structuredContent);
  if (checked === undefined || checked.ok) return result as ToolResult<TDetails>;
  const errors = formatSchemaErrors(checked.errors);
  return refused(`structuredContent does not match the outputSchema:\n${errors}`, structuredContent, rest);
}

function refused<TDetails>(
  message: string,
  value: unknown,
  rest: Pick<ToolResult<TDetails>, "details"> & Partial<ToolResult<TDetails>>,
): ToolResult<TDetails> {
  const shown = truncateText(preview(value), { maxBytes: refusedValueMaxBytes, maxLines: 100 }).text;
  const text = `The tool ran, but its result was refused: ${message}\nWhat it returned:\n${shown}`;
  return { ...rest, content: [textPart(text)], isError: true };
}

function contentFault(result: unknown): string | undefined {
  if (typeof result !== "object" || result === null) return "it is not a result object.";
  const content: unknown = "content" in result ? result.content : undefined;
  if (!Array.isArray(content)) return "content is not an array of parts.";
  const index = content.findIndex((part: unknown) => !isPart(part));
  return index === -1 ? undefined : `content[${index}] is not a text or image part.`;
}

function isPart(part: unknown): part is ToolContent {
  if (typeof part !== "object" || part === null || !("type" in part)) return false;
  if (part.type === "text") return "text" in part && typeof part.text === "string";
  return (
    part.type === "image" &&
    "data" in part &&
    typeof part.data === "string" &&
    "mimeType" in part &&
    typeof part.mimeType === "string"
  );
}

function textPart(text: string): ToolContent {
  return { type: "text", text };
}

/** A value as text, whatever it is: exotic values are named, cycles and depth are cut. */
function preview(value: unknown): string {
  const around: object[] = [];
  let nodes = 0;
  const visit = (item: unknown): JsonValue => {
    nodes += 1;
    if (nodes > 1000) return "…";
    if (typeof item === "bigint") return `${item}n`;
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    if (item === undefined) return "undefined";
    if (typeof item === "function" || typeof item === "symbol") return `[${typeof item}]`;
    if (typeof item !== "object" || item === null) return item as JsonValue;
    if (around.includes(item)) return "[cycle]";
    if (around.length >= 16) return "[deeper]";
    around.push(item);
    try {
      if (item instanceof Date) return Number.isNaN(item.getTime()) ? "Invalid Date" : item.toISOString();
      if (item instanceof Map) return { "[Map]": [...item].slice(0, 100).map(visit) };
      if (item instanceof Set) return { "[Set]": [...item].slice(0, 100).map(visit) };
      if (Array.isArray(item)) return item.slice(0, 100).map(visit);
      return Object.fromEntries(
        Object.entries(item)
          .slice(0, 100)
          .map(([key, inner]) => [key, visit(inner)]),
      );
    } finally {
      around.pop();
    }
  };
  try {
    return JSON.stringify(visit(value), undefined, 2) ?? "undefined";
  } catch {
    return "[cannot be read]";
  }
}
