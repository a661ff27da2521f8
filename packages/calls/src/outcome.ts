import type {
  JsonObject,
  JsonValue,
  SchemaError,
  ToolCallOutcome,
  ToolContent,
  ToolResult,
  ToolUsage,
} from "@nestbox/tool";
import type { CallFailure } from "./events.ts";
import type { NestedCallsRecord } from "./record.ts";

/** How a call in a `ToolHost` ended. */
export interface HostCallOutcome extends ToolCallOutcome {
  /** Only when `isError`. */
  readonly failure?: CallFailure;
  /** What the tool got, when a handler changed it after validation. */
  readonly ranWith?: JsonValue;
  /** The tool did not run: this is what the same call gave before (`cached`). */
  readonly cached?: true;
  /** Where `structuredContent` does not fit `outputSchema`; the value is there all the same. */
  readonly outputErrors?: readonly SchemaError[];
}

/** How a root call ended: with what belongs on its result message (contract A17, A18). */
export interface RootCallOutcome extends HostCallOutcome {
  readonly nestedCalls?: NestedCallsRecord;
  /** The tool's own usage and that of its nested calls at every depth. */
  readonly usage?: ToolUsage;
}

export function errorResult(text: string): ToolResult {
  return { content: [{ type: "text", text }], details: {} };
}

export function toolCallOf(id: string, name: string, args: JsonValue): ToolCallOutcome["toolCall"] {
  // Arguments that are no object are refused by every tool's schema; they are still told as they came.
  return { type: "toolCall", id, name, arguments: args as JsonObject };
}

/** The text of a result, as it goes into the record. */
export function textOf(result: ToolResult): string {
  return result.content
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("\n");
}

export function errorText(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    // A thrown value may have a toString that throws.
    return "The tool failed";
  }
}

/** What a tool returned as a result, or why it is none. Content that is no text or image is dropped. */
export function readResult(
  value: unknown,
): { ok: true; result: ToolResult } | { ok: false; message: string } {
  if (typeof value !== "object" || value === null)
    return { ok: false, message: "The tool returned no result" };
  const result = value as ToolResult;
  const content: unknown = result.content;
  if (content === undefined || content === null) return { ok: true, result: { ...result, content: [] } };
  if (!Array.isArray(content))
    return { ok: false, message: "The tool returned a result whose content is no list" };
  return {
    ok: true,
    result: content.every(isContent) ? { ...result } : { ...result, content: content.filter(isContent) },
  };
}

function isContent(block: unknown): block is ToolContent {
  if (typeof block !== "object" || block === null) return false;
  const { type, text, data, mimeType } = block as Record<string, unknown>;
  return (
    (type === "text" && typeof text === "string") ||
    (type === "image" && typeof data === "string" && typeof mimeType === "string")
  );
}
