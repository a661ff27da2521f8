/**
 * What processes that die leave behind, in one folder: the effects of a run, a line each and one write a line, so that
 * what has been told is there whoever dies next; and the result, written by a process that lived to its end.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@nestbox/tool";
import type { DurableResult } from "../../run-durable.ts";
import type { CrashPlace } from "../crash.ts";

/** Where a process that is started finds what it is told: other users see a process's arguments, not this. */
export const ORDER_VARIABLE = "NESTBOX_CRASH_ORDER";

export interface CrashOrder {
  readonly folder: string;
  readonly runId: string;
  /** Absent: it carries the run on to its end. */
  readonly at?: CrashPlace | undefined;
  /** The author's own: where the journal is. */
  readonly config: JsonValue;
}

export interface CrashFiles {
  addEffect(text: string): void;
  effects(): readonly string[];
  keepResult(result: DurableResult): void;
  forgetResult(): void;
  /** Absent: no process has come to an end. */
  result(): DurableResult | undefined;
}

export function crashFiles(folder: string, runId: string): CrashFiles {
  const name = encodeURIComponent(runId);
  const effectsFile = join(folder, `${name}.effects`);
  const resultFile = join(folder, `${name}.result`);
  return {
    addEffect: (text) => appendFileSync(effectsFile, `${text}\n`),
    effects: () => (existsSync(effectsFile) ? readFileSync(effectsFile, "utf8").trimEnd().split("\n") : []),
    keepResult: (result) => writeFileSync(resultFile, JSON.stringify(result)),
    forgetResult: () => rmSync(resultFile, { force: true }),
    result: () =>
      existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, "utf8")) as DurableResult) : undefined,
  };
}
