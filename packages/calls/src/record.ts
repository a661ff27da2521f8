import { addUsage, type Clock, type JsonValue, type ToolUsage } from "@nestbox/tool";
import type { CallLimits } from "./limits.ts";

/** One nested call on record: never its result (contract A17). Pi's `NestedToolCallRecord` with one more field. */
export interface NestedCallRecord {
  readonly id: string;
  readonly name: string;
  /** As the caller gave them, before coercion and handlers. Absent when over a limit, or not JSON. */
  readonly arguments?: JsonValue;
  /** UTF-8 bytes of arguments that were left out. */
  readonly argumentsBytes?: number;
  /** `unfinished`: still running when the record was taken. */
  readonly status: "ok" | "error" | "unfinished";
  /** Milliseconds from start to end, waiting included. */
  readonly durationMs?: number;
  readonly error?: string;
  /** The call was cut short because its signal was aborted or the calling tool ended without awaiting it. */
  readonly cancelled?: true;
}

/** The bounded record that goes on the calling tool's result (contract A17). */
export interface NestedCallsRecord {
  readonly calls: readonly NestedCallRecord[];
  /** `false` when calls were dropped, arguments left out, or a call had not finished. */
  readonly complete: boolean;
  /** Calls that were made and are not in `calls`. Absent when there are none. */
  readonly dropped?: number;
}

interface RecordEntry {
  readonly startedAt: number;
  readonly record: { -readonly [K in keyof NestedCallRecord]: NestedCallRecord[K] };
}

export interface CallRecorder {
  /** `args` is `undefined` when they are not JSON. Returns `undefined` when the call was dropped. */
  start(id: string, name: string, args: JsonValue | undefined): RecordEntry | undefined;
  finish(entry: RecordEntry | undefined, end: { isError: boolean; error: string; cancelled: boolean }): void;
  addUsage(usage: ToolUsage): void;
  readonly usage: ToolUsage | undefined;
  /** `undefined` when no nested call was made. */
  snapshot(): NestedCallsRecord | undefined;
}

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  return encoder.encode(text).length;
}

export function createRecorder(limits: CallLimits, clock: Clock): CallRecorder {
  const entries: RecordEntry[] = [];
  let complete = true;
  let dropped = 0;
  let argumentBytes = 0;
  let usage: ToolUsage | undefined;

  return {
    start(id, name, args) {
      if (entries.length >= limits.maxRecordedCalls) {
        complete = false;
        dropped++;
        return undefined;
      }
      const record: RecordEntry["record"] = { id, name, status: "unfinished" };
      if (args === undefined) {
        complete = false;
      } else {
        const bytes = utf8Bytes(JSON.stringify(args));
        if (
          bytes > limits.maxRecordedArgumentBytes ||
          argumentBytes + bytes > limits.maxRecordedArgumentBytesTotal
        ) {
          record.argumentsBytes = bytes;
          complete = false;
        } else {
          record.arguments = args;
          argumentBytes += bytes;
        }
      }
      const entry = { startedAt: clock.now(), record };
      entries.push(entry);
      return entry;
    },
    finish(entry, end) {
      if (entry === undefined) return;
      entry.record.status = end.isError ? "error" : "ok";
      entry.record.durationMs = Math.round(clock.now() - entry.startedAt);
      if (end.isError && end.error !== "")
        entry.record.error = end.error.slice(0, limits.maxRecordedErrorChars);
      if (end.cancelled) entry.record.cancelled = true;
    },
    addUsage(more) {
      usage = usage === undefined ? more : addUsage(usage, more);
    },
    get usage() {
      return usage;
    },
    snapshot() {
      if (entries.length === 0 && complete) return undefined;
      const calls = entries.map((entry) => ({ ...entry.record }));
      return {
        calls,
        complete: complete && calls.every((call) => call.status !== "unfinished"),
        ...(dropped === 0 ? {} : { dropped }),
      };
    },
  };
}
