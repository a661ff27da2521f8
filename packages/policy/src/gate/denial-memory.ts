import type { CallRequest } from "@nestbox/tool";

import { sourceKey } from "./grants.ts";
import { rootOf } from "./history.ts";

/** How far a refusal reaches: the agent's run, the script that made the call, or that one call. */
export type DenialReach = "run" | "script" | "call";

/** What a person has refused: the same tool with the same arguments is not asked again in one script or one run. */
export interface DenialMemory {
  add(request: CallRequest, inputHash: string, reason: string): void;
  find(request: CallRequest, inputHash: string): string | undefined;
  /** How far a refusal of this call reaches. */
  reach(request: CallRequest): DenialReach;
  /** A new run of the agent begins: earlier refusals no longer speak for the person. */
  beginRun(): void;
}

/** Until a host says that a run begins, each root call is its own run. Keeps the newest `max`. */
export function createDenialMemory(max: number): DenialMemory {
  const reasons = new Map<string, string>();
  let inRun = false;
  const keyOf = (request: CallRequest, inputHash: string): string =>
    JSON.stringify([inRun ? "" : rootOf(request), request.tool.name, sourceKey(request), inputHash]);
  return {
    add(request, inputHash, reason) {
      reasons.set(keyOf(request, inputHash), reason);
      if (reasons.size <= max) return;
      const oldest = reasons.keys().next();
      if (oldest.done !== true) reasons.delete(oldest.value);
    },
    find: (request, inputHash) => reasons.get(keyOf(request, inputHash)),
    reach: (request) => (inRun ? "run" : request.chain.length > 0 ? "script" : "call"),
    beginRun() {
      inRun = true;
      reasons.clear();
    },
  };
}
