import type { CallToolResult } from "@modelcontextprotocol/server";
import { compileSchema, type ToolCallOutcome } from "@nestbox/tool";

/**
 * The outcome of a call as MCP's result. A client refuses a result whose structured content does not fit the declared
 * schema, and then its model never learns that the tool has acted: such a result is told as an error that says so,
 * with everything the tool returned.
 */
export function createCallResult(
  { result, isError }: ToolCallOutcome,
  outputSchema: object | undefined,
): CallToolResult {
  const content: CallToolResult["content"] = result.content.map((block) => ({ ...block }));
  const { structuredContent } = result;
  const structured = structuredContent === undefined ? {} : { structuredContent: structuredContent as never };
  if (isError) return { content, ...structured, isError: true };
  const mismatch = outputSchema === undefined ? undefined : mismatchOf(structuredContent, outputSchema);
  if (mismatch === undefined) return { content, ...structured };
  const text = `The tool ran, but what it returned does not fit its declared output: ${mismatch}`;
  return { content: [{ type: "text", text }, ...content], ...structured, isError: true };
}

function mismatchOf(value: unknown, outputSchema: object): string | undefined {
  if (value === undefined) return "there is no structured content";
  const checked = compileSchema(outputSchema).check(value);
  if (checked.ok) return undefined;
  const [first] = checked.errors;
  return first === undefined ? "it does not match" : `${first.path || "root"}: ${first.message}`;
}
