import { readFileSync, statSync } from "node:fs";
import { basename } from "node:path";

import { InspectorError } from "../error.ts";
import { readRun } from "../model/read-run.ts";
import type { Run } from "../model/run.ts";
import type { RunSource } from "./source.ts";

/** The largest file that is read. */
export const MAX_TRACE_BYTES = 128 * 1024 * 1024;
/** Traces that a page shows at once. */
export const MAX_TRACES = 20;
const DEFAULT_POLL_MS = 400;

export interface TraceFilesOptions {
  /** How often the files are looked at. Default 400. */
  readonly pollMs?: number;
}

/** Reads a trace file. Throws {@link InspectorError} `unreadable-trace`, which names the file and what to do. */
export function readTraceFile(file: string): Run {
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > MAX_TRACE_BYTES)
      throw new InspectorError(
        "unreadable-trace",
        `${file}: it is larger than ${MAX_TRACE_BYTES / 1_048_576} MiB.`,
      );
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof InspectorError) throw cause;
    const code = (cause as NodeJS.ErrnoException).code;
    const why = code === "ENOENT" ? "there is no such file" : `it cannot be read (${code ?? "unknown"})`;
    throw new InspectorError("unreadable-trace", `${file}: ${why}.`, { cause });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InspectorError("unreadable-trace", `${file}: it is no JSON.`, { cause });
  }
  const read = readRun(basename(file), value);
  if (!read.ok) throw new InspectorError("unreadable-trace", `${file}: ${read.message}.`);
  return read.run;
}

/** Runs out of trace files, read again when a file changes. One that cannot be read for a while stays as it was. */
export function watchTraceFiles(
  files: readonly string[],
  { pollMs = DEFAULT_POLL_MS }: TraceFilesOptions = {},
): RunSource {
  if (files.length === 0 || files.length > MAX_TRACES)
    throw new InspectorError("misuse", `Between 1 and ${MAX_TRACES} traces can be shown at once.`);
  let runs = files.map(readTraceFile);
  let states = files.map(stateOf);
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  const look = (): void => {
    const now = files.map(stateOf);
    const changed = now.map((state, index) => state !== undefined && state !== states[index]);
    if (!changed.includes(true)) return;
    states = now;
    runs = runs.map((run, index) => (changed[index] === true ? readOr(files[index], run) : run));
    for (const listener of listeners) listener();
  };
  return {
    runs() {
      look();
      return runs;
    },
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(look, pollMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

function readOr(file: string | undefined, run: Run): Run {
  try {
    return file === undefined ? run : readTraceFile(file);
  } catch {
    return run;
  }
}

/** Changes whenever the file's content does. */
function stateOf(file: string): string | undefined {
  try {
    const { mtimeMs, size, ino } = statSync(file);
    return `${mtimeMs} ${size} ${ino}`;
  } catch {
    return undefined;
  }
}
