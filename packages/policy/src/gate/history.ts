import type { CallRequest } from "@nestbox/tool";

import type { CallHistory, Decision } from "../decision.ts";
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

/** Keeps at most `maxCalls`; the oldest finished one goes first, an unfinished one only when there is no other. */
export function createHistory(maxCalls: number): HistoryStore {
  const calls: HistoryCall[] = [];
  const add = (call: HistoryCall): void => {
    if (calls.length >= maxCalls) {
      const finished = calls.findIndex((old) => old.state !== "approved");
      calls.splice(Math.max(0, finished), 1);
    }
    calls.push(call);
  };
  return {
    view: { calls },
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
    const path = facts.resolve(facts.resolve(cwd, resource.base ?? "."), resource.value);
    paths.add(path);
    const real = facts.realPath(path);
    if (real !== undefined) paths.add(real);
  }
  return [...paths];
}
