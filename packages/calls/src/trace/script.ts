/**
 * The script's part of a trace: source, output, limits, and which line made which call. It reads what a script runner
 * tells by the shape of its events, because a host knows no runner.
 */
import type { Redactor } from "@nestbox/tool";
import { keepLines } from "./keep-lines.ts";
import type { TraceLimit, TraceOutput, TraceScript } from "./schema.ts";

/** Pieces of output that are kept. */
const MAX_OUTPUT_ITEMS = 2_000;
/** Calls whose line is remembered until the host has told of them. */
const MAX_PENDING = 10_000;
/** Calls whose line is remembered by their id, of all scripts of a trace. */
const MAX_LINES = 100_000;
const MAX_VALUE_CHARS = 20_000;
const MAX_ERROR_CHARS = 2_000;
const MAX_NAME_CHARS = 200;

/** A script that begins. */
export interface ScriptBeginning {
  readonly name?: string;
  /** As it was handed in, so that lines have their numbers. */
  readonly text: string;
  /** The call that runs it, whose nested calls are the script's. */
  readonly callId?: string;
}

export interface ScriptPartOptions {
  readonly redact: Redactor;
  /** Redacts and cuts. */
  readonly safe: (text: string, maxChars: number) => string;
  readonly maxChars: number;
  /** Counts the calls whose line is remembered, of all scripts together. */
  readonly lines: LineBudget;
}

export interface ScriptPart {
  take(event: unknown): void;
  end(outcome: unknown): void;
  /** The line of a call that begins now, as far as it can be known; `lineOf` is exact once it has ended. */
  lineOfStart(name: string): number | undefined;
  lineOf(callId: string): number | undefined;
  script(): TraceScript;
}

export interface LineBudget {
  /** Whether one more is remembered. */
  take(): boolean;
}

export function createLineBudget(): LineBudget {
  let taken = 0;
  return { take: () => taken < MAX_LINES && ++taken > 0 };
}

interface Pending {
  readonly index: unknown;
  readonly name: string;
  readonly line: number;
}

export function createScriptPart(
  told: ScriptBeginning,
  { redact, safe, maxChars, lines: left }: ScriptPartOptions,
): ScriptPart {
  const kept = told.text.slice(0, maxChars);
  const head: Pick<TraceScript, "name" | "callId" | "text"> = {
    ...(told.name === undefined ? {} : { name: safe(told.name, MAX_NAME_CHARS) }),
    ...(told.callId === undefined ? {} : { callId: told.callId }),
    text: `${keepLines(kept, redact)}${kept.length < told.text.length ? "…" : ""}`,
  };
  let outcome: TraceScript["outcome"];
  let ended = false;
  const output: TraceOutput[] = [];
  let outputChars = 0;
  let outputOmitted = 0;
  let limits: readonly TraceLimit[] = [];
  let pending: Pending[] = [];
  const lines = new Map<string, number>();

  const put = (item: TraceOutput): void => {
    if (output.length >= MAX_OUTPUT_ITEMS || outputChars >= maxChars) {
      outputOmitted++;
      return;
    }
    const text = safe(item.text, maxChars - outputChars);
    outputChars += text.length;
    output.push({ kind: item.kind, text });
  };

  const takeCall = (call: Record<string, unknown>): void => {
    const { index, id, name, line, status } = call;
    if (typeof name !== "string" || typeof line !== "number") return;
    if (typeof id === "string" && id !== "" && (lines.has(id) || left.take())) lines.set(id, line);
    if (status !== "running") pending = pending.filter((one) => one.index !== index);
    else if (pending.length < MAX_PENDING) pending.push({ index, name, line });
  };

  return {
    take(event) {
      if (!isRecord(event)) return;
      if (event["type"] === "start" && isRecord(event["limits"])) limits = limitsOf(event["limits"]);
      else if (event["type"] === "output" && isRecord(event["item"])) put(outputOf(event["item"]));
      else if (event["type"] === "call" && isRecord(event["call"])) takeCall(event["call"]);
    },
    end(told) {
      ended = true;
      if (!isRecord(told)) return;
      if (Array.isArray(told["calls"])) {
        for (const call of told["calls"]) if (isRecord(call)) takeCall(call);
      }
      if (isRecord(told["stats"])) limits = withUse(limits, told["stats"]);
      const error = isRecord(told["error"]) ? told["error"] : undefined;
      const line = error?.["line"];
      outcome = {
        ok: told["ok"] === true,
        ...(told["value"] === undefined ? {} : { value: safe(jsonOf(told["value"]), MAX_VALUE_CHARS) }),
        ...(error === undefined
          ? {}
          : {
              error: {
                kind: textOf(error["kind"]),
                name: safe(textOf(error["name"]), MAX_NAME_CHARS),
                message: safe(textOf(error["message"]), MAX_ERROR_CHARS),
                ...(typeof line === "number" ? { line } : {}),
              },
            }),
      };
    },
    lineOfStart(name) {
      const at = pending.findIndex((one) => one.name === name);
      return at === -1 ? undefined : pending.splice(at, 1)[0]?.line;
    },
    lineOf: (callId) => lines.get(callId),
    script: () => ({
      ...head,
      state: ended ? "ended" : "running",
      output: [...output],
      outputOmitted,
      limits,
      ...(outcome === undefined ? {} : { outcome }),
    }),
  };
}

const MIB = 1024 * 1024;

function limitsOf(told: Record<string, unknown>): readonly TraceLimit[] {
  const max = (key: string, scale = 1): { max?: number } => {
    const value = told[key];
    return typeof value === "number" && Number.isFinite(value) ? { max: value * scale } : {};
  };
  return [
    { name: "cpu", unit: "ms", ...max("cpuMs") },
    { name: "wall", unit: "ms", ...max("timeoutMs") },
    { name: "memory", unit: "bytes", ...max("memoryMb", MIB) },
    { name: "calls", unit: "calls", ...max("maxCalls") },
    { name: "output", unit: "chars", ...max("maxOutputChars") },
  ];
}

const measured: readonly (readonly [TraceLimit["name"], TraceLimit["unit"], string])[] = [
  ["cpu", "ms", "cpuMs"],
  ["wall", "ms", "wallMs"],
  ["memory", "bytes", "heapBytes"],
  ["calls", "calls", "calls"],
  ["output", "chars", "outputChars"],
  ["paused", "ms", "pausedMs"],
];

function withUse(limits: readonly TraceLimit[], stats: Record<string, unknown>): readonly TraceLimit[] {
  return measured.flatMap(([name, unit, key]) => {
    const limit = limits.find((one) => one.name === name);
    const used = stats[key];
    if (typeof used !== "number") return limit === undefined ? [] : [limit];
    return [{ name, unit, ...(limit?.max === undefined ? {} : { max: limit.max }), used: Math.round(used) }];
  });
}

function outputOf(item: Record<string, unknown>): TraceOutput {
  const { type, text, mimeType, data } = item;
  if (type !== "image") return { kind: type === "console" ? "console" : "text", text: textOf(text) };
  const bytes = Math.floor((textOf(data).length * 3) / 4);
  return { kind: "image", text: `${textOf(mimeType)}, ${bytes} bytes` };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}
