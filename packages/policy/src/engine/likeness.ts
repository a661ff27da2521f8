import type { JsonObject, JsonValue } from "@nestbox/tool";

import { fingerprint } from "../gate/fingerprint.ts";
import { isRecord } from "../is-record.ts";
import type { CallSubject } from "../subject.ts";

/**
 * One text per call for rules about loops: calls that differ in blanks, or in the comments of a command, are alike.
 * Whatever else differs makes another call, and so does another result.
 */
export function likeness(
  input: JsonObject,
  { commands, doubts }: Pick<CallSubject, "commands" | "doubts">,
): string {
  // Where words are all there is to the commands: what a here-document holds stands in the text only.
  const plain =
    commands.length > 0 &&
    doubts.length === 0 &&
    commands.every(({ opaque, redirections }) => opaque === undefined && !redirections.some(isHereDocument));
  if (!plain) return fingerprint(collapsed(input));
  return fingerprint(commands.map(({ cwd, source }) => [cwd ?? "?", blanks(source)]));
}

function isHereDocument({ operator }: { readonly operator: string }): boolean {
  return operator.startsWith("<<");
}

function collapsed(value: JsonValue): JsonValue {
  if (typeof value === "string") return blanks(value);
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value;
    return items.map(collapsed);
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, collapsed(item)]));
}

function blanks(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
