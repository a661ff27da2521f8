import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { CommandResult } from "@nestbox/tool/node";

import type { ReportFolder, RunnerName } from "../../src/node/runners/runner.ts";

/** What a runner wrote and how it ended; the project was in `/project`, its report in `/report`. */
export interface Recording {
  readonly runner: RunnerName;
  readonly exitCode?: number;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** By name in the report folder. */
  readonly files: Readonly<Record<string, string>>;
}

export function readRecording(name: string): Recording {
  const path = fileURLToPath(new URL(`../fixtures/recorded/${name}.json`, import.meta.url));
  return JSON.parse(readFileSync(path, "utf8")) as Recording;
}

export function recordedResult({ exitCode, signal, stdout, stderr }: Recording): CommandResult {
  const end =
    signal === undefined
      ? ({ kind: "exited", exitCode: exitCode ?? 0 } as const)
      : ({ kind: "signaled", signal } as const);
  const output = stdout + stderr;
  return { ...end, stdout, stderr, output, truncated: false, totalBytes: output.length, durationMs: 1 };
}

export function recordedFolder({ files }: Recording): ReportFolder {
  return {
    path: "/report",
    file: (name) => `/report/${name}`,
    read: async (name) => (Object.hasOwn(files, name) ? files[name] : undefined),
    write: async (name) => `/report/${name}`,
  };
}
