import type { ToolContent, ToolResult, ToolUsage } from "@nestbox/tool";

export type ReadResult =
  | { readonly ok: true; readonly result: ToolResult }
  | { readonly ok: false; readonly message: string };

/**
 * What a tool or a handler gave as a result that can be relied on, or why it is none. Each member is read once. Content
 * that is no text or image is dropped, and so is a usage that is none; `structuredContent` and `details` are passed on.
 */
export function readResult(value: unknown): ReadResult {
  if (typeof value !== "object" || value === null)
    return { ok: false, message: "The tool returned no result" };
  try {
    const { content, usage, isError, terminate, ...rest } = { ...(value as Record<string, unknown>) };
    if (content !== undefined && content !== null && !Array.isArray(content))
      return { ok: false, message: "The tool returned a result whose content is no list" };
    const spent = usage === undefined ? undefined : readUsage(usage);
    // What is not named here is passed on as it came.
    const result = {
      ...(rest as Pick<ToolResult, "details" | "structuredContent">),
      // The values and not the places: a list may be 2^32 holes long.
      content: Object.values(content ?? []).flatMap(readContent),
      ...(spent === undefined ? {} : { usage: spent }),
      ...(isError === true ? { isError } : {}),
      ...(terminate === undefined ? {} : { terminate: terminate === true }),
    };
    return { ok: true, result };
  } catch {
    return { ok: false, message: "The tool returned a result that cannot be read" };
  }
}

function readContent(given: unknown): readonly ToolContent[] {
  if (typeof given !== "object" || given === null) return [];
  const block = { ...(given as Record<string, unknown>) };
  const { type, text, data, mimeType } = block;
  const known =
    (type === "text" && typeof text === "string") ||
    (type === "image" && typeof data === "string" && typeof mimeType === "string");
  // Its kind and the members of that kind were looked at.
  return known ? [block as unknown as ToolContent] : [];
}

const counts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const;
const costs = ["input", "output", "cacheRead", "cacheWrite", "total"] as const;
const splits = ["cacheWrite1h", "reasoning"] as const;

/** A usage of numbers; what is missing or is no number counts as nothing. */
function readUsage(given: unknown): ToolUsage | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const usage = { ...(given as Record<string, unknown>) };
  const cost = typeof usage["cost"] === "object" ? { ...(usage["cost"] as Record<string, unknown>) } : {};
  const number = (value: unknown): number =>
    typeof value === "number" && Number.isFinite(value) ? value : 0;
  const spent: unknown = Object.fromEntries([
    ...counts.map((key) => [key, number(usage[key])]),
    ...splits.flatMap((key) => (usage[key] === undefined ? [] : [[key, number(usage[key])]])),
    [
      "cost",
      {
        ...Object.fromEntries(costs.map((key) => [key, number(cost[key])])),
        ...(cost["totalFromProvider"] === undefined
          ? {}
          : { totalFromProvider: cost["totalFromProvider"] === true }),
      },
    ],
  ]);
  // Every member of the type has been given.
  return spent as ToolUsage;
}
