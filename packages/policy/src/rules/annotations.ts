import type { CallRequest, ToolAnnotations } from "@nestbox/tool";

import type { Trust } from "./types.ts";

/**
 * Whether a call needs approval by its annotations alone (contract A7). A missing hint takes the MCP default
 * (contract A6): not read-only, destructive, open world.
 */
export function needsApproval(annotations: ToolAnnotations): boolean {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  if (destructiveHint === true) return true;
  return readOnlyHint !== true && ((destructiveHint ?? true) || (openWorldHint ?? true));
}

/** The worse of two statements, hint by hint; where only one speaks, that one counts. */
export function worseAnnotations(first: ToolAnnotations, second: ToolAnnotations): ToolAnnotations {
  return {
    ...pick("readOnlyHint", both(first.readOnlyHint, second.readOnlyHint)),
    ...pick("idempotentHint", both(first.idempotentHint, second.idempotentHint)),
    ...pick("destructiveHint", one(first.destructiveHint, second.destructiveHint)),
    ...pick("openWorldHint", one(first.openWorldHint, second.openWorldHint)),
  };
}

/** Whether the tool's own hints count: the author is somebody whom the person installed, or a server that is trusted. */
export function annotationsCount(tool: CallRequest["tool"], trust: Trust): boolean {
  const { source } = tool;
  if (source === undefined) return false;
  if (source.kind === "mcp") return trust.mcpServers?.includes(source.server) === true;
  return source.kind === "builtin" || trust.annotations !== false;
}

function both(first: boolean | undefined, second: boolean | undefined): boolean | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first && second;
}

function one(first: boolean | undefined, second: boolean | undefined): boolean | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return first || second;
}

function pick(key: keyof ToolAnnotations, value: boolean | undefined): ToolAnnotations {
  return value === undefined ? {} : { [key]: value };
}
