import type { CallableTool, JsonValue } from "@nestbox/tool";
import { abortMessage } from "../runner/abort-message.ts";
import { resolveLimits } from "../runner/limits.ts";
import { isRecord } from "../shared/guards.ts";
import type { ScriptOutcome, ScriptRequest, ScriptRunner } from "../types.ts";
import { durableClock, type DurableClock } from "./clock.ts";
import { drive } from "./drive.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import { randomSeed } from "./run-durable.ts";
import { hashTools, readStart, type RunStart } from "./start.ts";

/**
 * One run as a file: with it the run can be repeated anywhere, without any of its tools. It holds the arguments and
 * the results of every call as they were: treat it as they are to be treated.
 */
export interface Recording {
  readonly format: "nestbox-recording";
  readonly version: 1;
  readonly start: RunStart;
  /** The tools as the script saw them. */
  readonly tools: readonly CallableTool[];
  /** The journal: what calls gave and what was chosen between them, by key. */
  readonly steps: Readonly<Record<string, JsonValue>>;
  readonly outcome: ScriptOutcome;
}

export interface RecordOptions {
  readonly runner: ScriptRunner;
  /** As for `runner.run`; clock, seed, zone and locale of `environment` are kept, UTC and `en-US` if unset. */
  readonly request: ScriptRequest;
  readonly clock?: DurableClock;
}

/** Runs a script as `runner.run` does, deterministically, and tells all that a repetition needs. */
export async function recordRun({
  runner,
  request,
  clock = durableClock,
}: RecordOptions): Promise<{ readonly outcome: ScriptOutcome; readonly recording: Recording }> {
  const { environment, globals = [], caller } = request;
  const memory = createMemoryJournal();
  const described = new Map<string, string>();
  const tools = caller.tools.map(viewOf);
  const start: RunStart = {
    format: 1,
    code: request.code,
    store: request.store ?? {},
    limits: resolveLimits(request.limits),
    environment: {
      now: Math.floor(environment?.now?.() ?? clock.now()),
      seed: (environment?.seed ?? randomSeed()) >>> 0,
      timeZone: environment?.timeZone ?? "UTC",
      locale: environment?.locale ?? "en-US",
    },
    tools: await hashTools(tools),
    globals: globals.map((global) => global.name),
  };
  const { describe, signal } = request;
  const over = new AbortController();
  const result = await drive({
    runner,
    journal: memory.run("recording"),
    start,
    tools: caller.tools,
    callerFor: () => caller,
    globals,
    ...(describe === undefined
      ? {}
      : {
          describe(tool, identifier) {
            const text = describe(tool, identifier);
            described.set(tool.name, text);
            return text;
          },
        }),
    decisionOf: request.decisionOf,
    pauses: caller.pauses,
    onEvent: request.onEvent,
    clock,
    parkAfterMs: Number.POSITIVE_INFINITY,
    timeoutMs: start.limits.timeoutMs,
    onDrive({ end }) {
      const abort = (): void => end("aborted", "AbortError", abortMessage(signal?.reason));
      if (signal?.aborted === true) abort();
      else signal?.addEventListener("abort", abort, { signal: over.signal });
    },
  });
  over.abort();
  const outcome: ScriptOutcome =
    result.kind === "ended"
      ? result.outcome
      : result.kind === "halted"
        ? (result.outcome ?? failed(result.halt.message))
        : failed("It parked");
  const recording: Recording = {
    format: "nestbox-recording",
    version: 1,
    start,
    tools: tools.map((tool) => ({ ...tool, description: described.get(tool.name) ?? tool.description })),
    steps: memory.steps("recording"),
    outcome,
  };
  return { outcome, recording };
}

/** Reads a recording from its JSON text. */
export function parseRecording(
  text: string,
): { readonly ok: true; readonly recording: Recording } | { readonly ok: false; readonly message: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, message: "This is not a recording: it is no JSON" };
  }
  if (!isRecord(value) || value["format"] !== "nestbox-recording")
    return { ok: false, message: "This is not a recording of a run" };
  if (value["version"] !== 1) {
    return {
      ok: false,
      message: `This recording is of version ${String(value["version"])}; version 1 can be read`,
    };
  }
  const { tools, steps, outcome } = value;
  const start = readStart(value["start"]);
  if (start === undefined || !isRecord(steps) || !isTools(tools) || !isOutcome(outcome))
    return { ok: false, message: "This recording is damaged: a part of it is missing" };
  const kept = steps as Readonly<Record<string, JsonValue>>;
  return {
    ok: true,
    recording: { format: "nestbox-recording", version: 1, start, tools, steps: kept, outcome },
  };
}

function viewOf(tool: CallableTool): CallableTool {
  const { name, label, description, parameters, outputSchema, exposure, namespace, annotations } = tool;
  // Plain data: schemas may carry what JSON does not.
  return JSON.parse(
    JSON.stringify({ name, label, description, parameters, outputSchema, exposure, namespace, annotations }),
  ) as CallableTool;
}

function isTools(value: unknown): value is readonly CallableTool[] {
  return (
    Array.isArray(value) &&
    value.every(
      (tool) => isRecord(tool) && typeof tool["name"] === "string" && typeof tool["description"] === "string",
    )
  );
}

function isOutcome(value: unknown): value is ScriptOutcome {
  if (!isRecord(value) || typeof value["ok"] !== "boolean") return false;
  if (!value["ok"] && !isRecord(value["error"])) return false;
  return (
    ["output", "calls", "warnings"].every((part) => Array.isArray(value[part])) && isRecord(value["stats"])
  );
}

function failed(message: string): ScriptOutcome {
  return {
    ok: false,
    error: { kind: "sandbox", name: "SandboxError", message, stack: `SandboxError: ${message}` },
    output: [],
    calls: [],
    warnings: [],
    stats: { wallMs: 0, cpuMs: 0, pausedMs: 0, calls: 0, outputChars: 0 },
  };
}

export const recordingText = (recording: Recording): string => `${JSON.stringify(recording)}\n`;
