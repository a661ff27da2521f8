import { type FleetList, fleetPatchOf } from "../model/fleet.ts";
import { type PageMessage, patchOf } from "../model/patch.ts";
import type { Run } from "../model/run.ts";
import type { FleetSource, RunSource } from "./source.ts";

/** What pages that show the same thing are told. */
export interface Feed {
  /** All of it, as it was when it was last looked at. */
  all(): readonly PageMessage[];
  /** Looks, and tells what changed since; undefined: all has to be told anew. */
  news(): readonly PageMessage[] | undefined;
  subscribe(listener: () => void): () => void;
}

export function runsFeed(source: RunSource): Feed {
  let known: readonly Run[] = source.runs();
  let trouble = source.trouble?.() ?? "";
  return {
    // Nothing is known yet: a page waits for its run, and is told when it is in vain.
    all: () => [
      ...(known.length === 0 ? [] : [{ kind: "runs" as const, runs: known }]),
      ...(trouble === "" ? [] : [{ kind: "trouble" as const, message: trouble }]),
    ],
    news() {
      const before = known;
      const old = trouble;
      known = source.runs();
      trouble = source.trouble?.() ?? "";
      const messages: PageMessage[] = [];
      for (const [index, run] of known.entries()) {
        const was = before[index];
        const patch = was === undefined ? "anew" : was === run ? "same" : patchOf(index, was, run);
        if (patch === "anew") return undefined;
        if (patch !== "same") messages.push({ kind: "patch", patch });
      }
      if (trouble !== old) messages.push({ kind: "trouble", message: trouble });
      return messages;
    },
    subscribe: (listener) => source.subscribe(listener),
  };
}

export function fleetFeed(source: FleetSource): Feed {
  let known: FleetList = source.list();
  return {
    all: () => [{ kind: "fleet", list: known }],
    news() {
      const before = known;
      known = source.list();
      const patch = before === known ? "same" : fleetPatchOf(before, known);
      return patch === "same" ? [] : [{ kind: "fleet-patch", patch }];
    },
    subscribe: (listener) => source.subscribe(listener),
  };
}
