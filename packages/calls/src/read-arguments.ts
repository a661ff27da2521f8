import { toPlainJson, type JsonValue } from "@nestbox/tool";
import type { CallLimits } from "./limits.ts";

export type ReadArguments =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly path: string; readonly message: string };

/**
 * What a caller or a tool gave, as the plain JSON that `JSON.stringify` would write, within the limits of arguments;
 * or a JSON pointer to what is none.
 */
export function readArguments(
  value: unknown,
  limits: Pick<CallLimits, "maxArgumentChars" | "maxArgumentDepth">,
): ReadArguments {
  const plain = toPlainJson(value, {
    as: "stringify",
    maxChars: limits.maxArgumentChars,
    maxDepth: limits.maxArgumentDepth,
    // Every key and every element of a list costs characters: those are the limit.
    maxValues: Number.POSITIVE_INFINITY,
  });
  if (plain.ok) return plain;
  return { ok: false, path: plain.path.map((key) => `/${key}`).join(""), message: plain.message };
}
