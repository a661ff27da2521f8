import type { ToolResult } from "@nestbox/tool";
import type { CallLimits } from "./limits.ts";
import { errorResult, errorText } from "./outcome.ts";
import { readArguments } from "./read-arguments.ts";

/**
 * The result of a tool that threw: its message for the model, and in `details.error` what a caller may tell errors
 * apart by: `name`, `code` and `data`, where the error has them as plain JSON.
 */
export function thrownResult(error: unknown, limits: CallLimits): ToolResult {
  const result = errorResult(errorText(error));
  const fields = (["name", "code", "data"] as const).flatMap((key) => {
    const value = read(error, key);
    if (value === undefined || (key === "name" && typeof value !== "string")) return [];
    const plain = readArguments(value, limits);
    return plain.ok ? [[key, plain.value] as const] : [];
  });
  return fields.length === 0 ? result : { ...result, details: { error: Object.fromEntries(fields) } };
}

function read(error: unknown, key: string): unknown {
  if (typeof error !== "object" || error === null) return undefined;
  try {
    return Reflect.get(error, key);
  } catch {
    // A getter of the error's own.
    return undefined;
  }
}
