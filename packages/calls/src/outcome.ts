import type {
  JsonObject,
  JsonValue,
  SchemaError,
  ToolCallOutcome,
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

/** What an error says. A thrown value may be anything, and throw when it is read. */
export function errorText(error: unknown): string {
  try {
    const message: unknown = error instanceof Error ? error.message : error;
    return typeof message === "string" ? message : String(message);
  } catch {
    return "The tool failed";
  }
}

/** How the `execute` of a tool ended. */
export type Ran = { readonly durationMs: number } &
  /** `cached`: what the tool gave before; it did not run. */
  (
    | { readonly kind: "returned"; readonly value: unknown; readonly cached?: true }
    | { readonly kind: "threw"; readonly error: unknown }
    /** Cancelled, and still running when the time to stop was over. Its later end is ignored. */
    | { readonly kind: "abandoned" }
  );
