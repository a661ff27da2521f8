import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, Decision } from "../decision.ts";
import { splitGlob } from "../paths/reach.ts";
import type { GrantFacts } from "./grant.ts";

type HistoryCall = CallHistory["calls"][number];

/** What one session did, kept for budgets, loops and batches: the newest calls, in order. */
export interface HistoryStore {
  readonly view: CallHistory;
  add(call: HistoryCall): void;
  /** Puts a denied call in; one that was already in as approved is turned into it. */
  deny(call: HistoryCall): void;
  finish(callId: string, resultHash: string | undefined): void;
}

/** Most counts of calls that were dropped; beyond it those of different roots are added up by tool. */
const MAX_EARLIER = 2_000;

type Earlier = NonNullable<CallHistory["earlier"]>[number];

/**
 * Keeps at most `maxCalls`: denied calls go first, then the oldest finished one, an unfinished one only when there is
 * no other. What a budget counts of a call outlives it.
 */
export function createHistory(maxCalls: number): HistoryStore {
  const calls: HistoryCall[] = [];
  const earlier = new Map<string, Earlier>();
  const count = (one: Earlier): void => {
    const key = JSON.stringify([one.toolName, one.rootId]);
    const before = earlier.get(key);
    earlier.set(key, {
      ...one,
      calls: one.calls + (before?.calls ?? 0),
      prompts: one.prompts + (before?.prompts ?? 0),
    });
  };
  const drop = (call: HistoryCall): void => {
    const prompts = call.prompted === true ? 1 : 0;
    const made = call.state === "denied" ? 0 : 1;
    if (made + prompts === 0) return;
    count({ rootId: call.rootId, toolName: call.toolName, calls: made, prompts });
    if (earlier.size <= MAX_EARLIER) return;
    const oldest = [...earlier].find(([, { rootId }]) => rootId !== undefined);
    if (oldest === undefined) return;
    earlier.delete(oldest[0]);
    const { toolName, calls: times, prompts: asked } = oldest[1];
    count({ toolName, calls: times, prompts: asked });
  };
  const add = (call: HistoryCall): void => {
    if (calls.length >= maxCalls) {
      const denied = calls.findIndex((old) => old.state === "denied");
      const finished = denied >= 0 ? denied : calls.findIndex((old) => old.state !== "approved");
      for (const dropped of calls.splice(Math.max(0, finished), 1)) drop(dropped);
    }
    calls.push(call);
  };
  return {
    view: {
      calls,
      get earlier() {
        return [...earlier.values()];
      },
    },
    add,
    deny(call) {
      const index = calls.findLastIndex((old) => old.callId === call.callId && old.state === "approved");
      if (index < 0) add(call);
      else calls[index] = call;
    },
    finish(callId, resultHash) {
      // Ids can be given out again, so the newest one is meant.
      const index = calls.findLastIndex((call) => call.callId === callId && call.state === "approved");
      const call = calls[index];
      if (call === undefined) return;
      calls[index] = { ...call, state: "done", ...(resultHash === undefined ? {} : { resultHash }) };
    },
  };
}

/** The call at the root of a chain: the script's or the model's own. */
export function rootOf(request: CallRequest): string {
  return request.chain[0]?.callId ?? request.callId;
}

/** Absolute paths that a call may write or delete, as written and with symlinks resolved. */
export function writesOf(decision: Decision, cwd: string, facts: GrantFacts): readonly string[] {
  const paths = new Set<string>();
  const all = [
    ...decision.subject.resources,
    ...decision.subject.commands.flatMap((command) => command.resources),
  ];
  for (const resource of all) {
    if (resource.kind !== "path" || resource.value === undefined) continue;
    if (resource.action !== "write" && resource.action !== "delete") continue;
    // Some path below a folder: every other call of the batch would wait for it.
    if (resource.extent === "within") continue;
    // A pattern may mean anything in the folder that it stands in.
    const value = resource.extent === "glob" ? splitGlob(resource.value).folder : resource.value;
    const path = facts.resolve(facts.resolve(cwd, resource.base ?? "."), value);
    paths.add(path);
    const real = facts.realPath(path);
    if (real !== undefined) paths.add(real);
  }
  return [...paths];
}
