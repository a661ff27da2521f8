import { fingerprint, toPlainJson } from "./fingerprint.ts";

/** Longest result that is hashed; beyond it a result counts as new. */
const MAX_HASHED_CHARS = 2 * 1024 * 1024;

/**
 * One text per result, for rules about loops. What cannot be compared gets a text of its own, so that it never looks
 * like a loop.
 */
export function resultHash(
  callId: string,
  result: { readonly content?: unknown; readonly structuredContent?: unknown; readonly isError: boolean },
): string {
  const plain = toPlainJson({
    content: result.content ?? null,
    structuredContent: result.structuredContent ?? null,
    isError: result.isError,
  });
  if (!plain.ok) return `unreadable ${callId}`;
  const { length } = JSON.stringify(plain.value);
  return length > MAX_HASHED_CHARS ? `large ${length} ${callId}` : fingerprint(plain.value);
}
