import { parseScriptSource } from "@nestbox/codemode";
import { type ReplayResult, replayRecording } from "@nestbox/codemode/durable";
import { createRunner } from "@nestbox/codemode/node";

import { readScript } from "../compose/read-script.ts";
import { readRecordingFile } from "../compose/recording-file.ts";
import { ScriptSourceError } from "../compose/script-source-error.ts";
import { exitCodes } from "../exit-codes.ts";
import { type Streams, tellOn, writeJsonLine } from "../output.ts";
import { type Colors, colorsFor } from "../report/colors.ts";
import { count } from "../report/human.ts";
import { oneLine } from "../report/safe-text.ts";

export interface ReplayOptions {
  readonly json?: boolean;
  /** Another script in the place of the recorded one. */
  readonly with?: string;
  readonly node?: string;
}

/** Differences that are shown; `--json` gives all. */
const MAX_SHOWN = 20;

/** `nestbox replay`: repeats a recorded run without any tool. Exit code 6 when it does not go as it was recorded. */
export async function replay(
  file: string,
  options: ReplayOptions,
  streams: Streams,
  signal: AbortSignal,
): Promise<number> {
  const start = process.cwd();
  const recording = readRecordingFile(file, start);
  let code: string | undefined;
  if (options.with !== undefined) {
    const parsed = parseScriptSource(await readScript(options.with, start, streams.stdin, signal));
    if (!parsed.ok) throw new ScriptSourceError(parsed.message);
    code = parsed.code;
  }
  const runner = createRunner({
    maxProcesses: 1,
    ...(options.node === undefined ? {} : { nodePath: options.node }),
  });
  let result: ReplayResult;
  try {
    result = await replayRecording({ runner, recording, signal, ...(code === undefined ? {} : { code }) });
  } finally {
    await runner.close();
  }
  const calls = recording.outcome.calls.length;
  if (options.json === true) writeJsonLine(streams, report(result, calls));
  else {
    const colors = colorsFor(streams.stdout, process.env);
    for (const line of lines(result, calls, colors)) streams.stdout.write(`${line}\n`);
    if (result.kind !== "failed" && result.kind !== "equal") {
      for (const { part, recorded, now } of result.engine)
        tellOn(streams)(`recorded with another ${part}: ${recorded || "none"}, here ${now || "none"}`);
    }
  }
  return exitCodeOf(result, signal);
}

function exitCodeOf({ kind }: ReplayResult, signal: AbortSignal): number {
  if (kind === "equal") return exitCodes.ok;
  if (kind === "failed") return signal.aborted ? exitCodes.aborted : exitCodes.sandbox;
  return exitCodes.diverged;
}

/** The object of `--json`. */
function report(result: ReplayResult, calls: number): object {
  return {
    ok: result.kind === "equal",
    kind: result.kind,
    calls,
    divergence: result.kind === "diverged" ? result.divergence : null,
    differences: result.kind === "different" ? result.differences : [],
    engine: result.kind === "failed" ? [] : result.engine,
    ...(result.kind === "failed" ? { message: result.message } : {}),
  };
}

function lines(result: ReplayResult, calls: number, colors: Colors): readonly string[] {
  const text = (value: string): string => oneLine(value, 2_000);
  const pair = (recorded: string, came: string): readonly string[] => [
    `  recorded  ${text(recorded)}`,
    `  came      ${text(came)}`,
  ];
  switch (result.kind) {
    case "equal":
      return [
        `${colors.green("equal")}  ${count(calls, "call")}, output and value are as recorded; no tool was called`,
      ];
    case "failed":
      return [`${colors.red("failed")}  ${text(result.message)}`];
    case "diverged": {
      const { place, call, line, recorded, came } = result.divergence;
      const where = place === "call" && call !== undefined ? `at call ${call}` : PLACES[place];
      return [
        `${colors.red("diverged")}  ${where}${line === undefined ? "" : `, line ${line}`}; no tool was called`,
        ...pair(recorded, came),
      ];
    }
    case "different": {
      const shown = result.differences.slice(0, MAX_SHOWN);
      const more = result.differences.length - shown.length;
      return [
        `${colors.red("different")}  every call is as recorded, what came of them is not; no tool was called`,
        ...shown.flatMap(({ path, recorded, came }) => [
          `  ${text(path)}`,
          ...pair(recorded, came).map((one) => `  ${one}`),
        ]),
        ...(more > 0 ? [`  and ${count(more, "more difference")}`] : []),
      ];
    }
  }
}

const PLACES = {
  start: "at the start",
  call: "at a call",
  turn: "between two calls",
  end: "at the end",
} as const;
