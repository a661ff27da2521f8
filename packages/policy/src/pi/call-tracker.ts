import type { CallRequest } from "@nestbox/tool";

/** Most unfinished calls that are kept; a session never has that many. */
const MAX_CALLS = 10_000;
/** Deepest chain that is followed. */
const MAX_CHAIN = 64;

/**
 * Knows which call made which. Pi's policy events carry only the immediate parent, and ids may hold any character, so
 * the chain is rebuilt from the start events, never from the text of an id.
 */
export interface CallTracker {
  started(callId: string, toolName: string, parentId: string | undefined): void;
  ended(callId: string): void;
  /** The calls above one, root first. */
  chain(parentId: string | undefined): CallRequest["chain"];
}

export function createCallTracker(): CallTracker {
  const calls = new Map<string, { readonly toolName: string; readonly parentId: string | undefined }>();
  return {
    started(callId, toolName, parentId) {
      calls.set(callId, { toolName, parentId });
      if (calls.size <= MAX_CALLS) return;
      const oldest = calls.keys().next();
      if (oldest.done !== true) calls.delete(oldest.value);
    },
    ended(callId) {
      calls.delete(callId);
    },
    chain(parentId) {
      const links: { readonly callId: string; readonly toolName: string }[] = [];
      const seen = new Set<string>();
      for (let id = parentId; id !== undefined && links.length < MAX_CHAIN && !seen.has(id);) {
        seen.add(id);
        const call = calls.get(id);
        links.unshift({ callId: id, toolName: call?.toolName ?? "unknown" });
        id = call?.parentId;
      }
      return links;
    },
  };
}
