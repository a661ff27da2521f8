/**
 * What every engine that carries runs must keep, as cases without a test framework: each is a promise with a title,
 * and rejects with what was wrong. `open` gives another view of the same storage, as another process has it; a view
 * that is left lying is a process that has died.
 */
import type { JsonValue } from "@nestbox/tool";
import { type ConformanceCase, same, within } from "../../conformance/driver-conformance.ts";
import type { ScriptRunner } from "../../types.ts";
import { type DurableResult, runDurable } from "../run-durable.ts";
import type { Case, DurableView, Views } from "./cases.ts";
import { valueOf } from "./checks.ts";
import type { CrashPlace } from "./crash.ts";
import { journalCases } from "./journal-cases.ts";
import { loadCases } from "./load-cases.ts";
import { runCases } from "./run-cases.ts";

export interface DurableConformanceOptions {
  /** With at least two processes. */
  readonly runner: ScriptRunner;
  readonly open: () => Promise<DurableView>;
  /** Real deaths; without it, processes only vanish. */
  readonly crash?: {
    /** Runs `crashRun` with this place in a process of its own; resolves when that is dead. */
    readonly die: (runId: string, at: CrashPlace) => Promise<void>;
    /** Runs `crashRun` without a place in another process, to the end. */
    readonly carryOn: (runId: string) => Promise<DurableResult>;
    /** What has been handed to `effect`, by all processes. */
    readonly effects: (runId: string) => Promise<readonly string[]>;
  };
  /** Default 2,000. */
  readonly parkedRuns?: number;
  /** Default 2,000. */
  readonly calls?: number;
  /** Characters of two bytes each. Default 20,000,000. */
  readonly bigChars?: number;
  /** Milliseconds for a case. Default 600,000. */
  readonly caseMs?: number;
}

export function durableConformance(options: DurableConformanceOptions): readonly ConformanceCase[] {
  const { runner, open, crash, parkedRuns = 2_000, calls = 2_000, bigChars = 20_000_000 } = options;
  const opened: DurableView[] = [];
  let count = 0;
  const view = async (): Promise<DurableView> => {
    const made = await open();
    opened.push(made);
    return made;
  };
  const views: Views = {
    view,
    journal: async (runId = `run-${++count}`) => (await view()).run(runId),
    go: (journal, { callerFor, parking }, code, more = {}) =>
      runDurable({
        runner,
        journal,
        callerFor,
        parking,
        ...(code === undefined ? {} : { script: { code } }),
        ...more,
      }),
  };
  const cases = [
    ...journalCases(views),
    ...runCases(views),
    ...loadCases(views, { parkedRuns, calls, bigChars }),
    ...(crash === undefined ? [] : crashCases(crash)),
  ];
  return cases.map(([title, test]) => ({
    title,
    run: async () => {
      try {
        await within(test(), title, options.caseMs ?? 600_000);
      } finally {
        for (const one of opened.splice(0)) await one.close();
      }
    },
  }));
}

function crashCases(crash: NonNullable<DurableConformanceOptions["crash"]>): readonly Case[] {
  const cases: Case[] = [];
  const places: [CrashPlace, JsonValue, readonly string[]][] = [
    ["before", [1, 2, 3], ["effect:1", "effect:2", "effect:3"]],
    ["inside", [1, "InterruptedError", 3], ["effect:1", "effect:2", "effect:3"]],
    ["repeatable", [1, 2, 3], ["effect:1", "retry:2", "retry:2", "effect:3"]],
    ["after", [1, 2, 3], ["effect:1", "effect:2", "effect:3"]],
  ];
  for (const [place, value, effects] of places) {
    cases.push([
      `a process is killed ${place === "repeatable" ? "inside a call that may be made again" : `${place} a call`}: another one carries the run on`,
      async () => {
        const runId = `killed-${place}`;
        await crash.die(runId, place);
        same(valueOf(await crash.carryOn(runId)), value);
        same(await crash.effects(runId), effects);
        // It has ended, once.
        same(valueOf(await crash.carryOn(runId)), value);
        same(await crash.effects(runId), effects);
      },
    ]);
  }
  return cases;
}
