import type { JsonValue } from "@nestbox/tool";
import type { ScriptRunner } from "../../../types.ts";
import type { RunJournal } from "../../journal.ts";
import { crashRun } from "../crash.ts";
import { crashFiles, type CrashOrder, ORDER_VARIABLE } from "./crash-files.ts";

export interface CrashProcessOptions {
  readonly runner: ScriptRunner;
  /** The run's journal as this process has it; `config` is what `crashProcesses()` was given. */
  readonly open: (runId: string, config: JsonValue) => RunJournal | Promise<RunJournal>;
  /** What is to be closed at a good end. */
  readonly close?: () => void | Promise<void>;
}

/**
 * What the program of `crashProcesses()` does: it carries the run on, and dies where it is told to or keeps the result.
 * The runner is closed with it.
 */
export async function crashProcess(options: CrashProcessOptions): Promise<void> {
  const { runner, open, close } = options;
  // Written by `crashProcesses()`.
  const { folder, runId, at, config } = JSON.parse(process.env[ORDER_VARIABLE] ?? "{}") as CrashOrder;
  const files = crashFiles(folder, runId);
  const result = await crashRun({
    runner,
    journal: await open(runId, config),
    at,
    effect: (text) => files.addEffect(text),
    kill: () => process.kill(process.pid, "SIGKILL"),
  });
  await runner.close();
  await close?.();
  files.keepResult(result);
}
