import type { CommandResult } from "@nestbox/tool/node";

import type { ParsedReport, ReportResult } from "../../reports/report.ts";

/** What a runner is started with so that it leaves a machine-readable report, without touching the project. */
export interface Injection {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Where a runner may write, outside of the project; removed after the report was read. */
export interface ReportFolder {
  readonly path: string;
  /** An absolute path in the folder. */
  file(name: string): string;
  /** The text of a file in the folder, or `undefined` when it is not there or too large. */
  read(name: string): Promise<string | undefined>;
  write(name: string, text: string): Promise<string>;
}

export interface RunnerContext {
  /** Absolute folder that the runner runs in. */
  readonly folder: string;
  readonly report: ReportFolder;
  /** The words of the script that starts it, when there is one. */
  readonly words?: readonly string[];
}

/** One test runner: a new one is one small file with these. */
export interface Runner {
  readonly name: RunnerName;
  inject(context: RunnerContext): Promise<Injection>;
  read(result: CommandResult, context: RunnerContext): Promise<ReportResult>;
  /** Its report stands on standard output, of which more is kept then. */
  readonly reportsOnStdout?: boolean;
  /** What its exit code and its messages say. `report`: it could be read and holds neither a test nor an error. */
  classify?(result: CommandResult, report: ParsedReport | undefined): "no-tests" | "config-error" | undefined;
}

export const runnerNames = [
  "vitest",
  "jest",
  "node:test",
  "mocha",
  "playwright",
  "bun",
  "pytest",
  "go",
  "cargo",
  "tap",
  "junit",
  "unknown",
] as const;

export type RunnerName = (typeof runnerNames)[number];
