import type { SchemaError, ToolResult } from "@nestbox/tool";
import { readArguments, type ReadArguments } from "./read-arguments.ts";
import type { Registration } from "./registry.ts";

export interface CheckedOutput {
  readonly result: ToolResult;
  readonly errors: readonly SchemaError[];
}

const outputLimits = { maxArgumentChars: 256 * 1024 * 1024, maxArgumentDepth: 1_000 };

/** Structured content as plain JSON. */
export function plainData(value: unknown): ReadArguments {
  return readArguments(value, outputLimits);
}

/**
 * Makes `structuredContent` plain JSON and compares it with `outputSchema`. The tool has acted, so a mismatch takes
 * nothing away: it is told next to the value. Only what JSON cannot carry is left out.
 */
export function checkOutput(
  { outputSchema }: Registration,
  result: ToolResult,
  isError: boolean,
): CheckedOutput {
  if (result.structuredContent === undefined) {
    const missing = outputSchema !== undefined && !isError;
    return {
      result,
      errors: missing ? [{ path: "", message: "the tool returned no structuredContent" }] : [],
    };
  }
  const plain = plainData(result.structuredContent);
  if (!plain.ok) {
    const { structuredContent: _left, ...rest } = result;
    return { result: rest, errors: [{ path: plain.path, message: plain.message }] };
  }
  const plainResult = { ...result, structuredContent: plain.value };
  const checked = outputSchema?.check(plain.value);
  return { result: plainResult, errors: checked === undefined || checked.ok ? [] : checked.errors };
}
